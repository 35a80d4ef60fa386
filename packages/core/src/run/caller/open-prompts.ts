/**
 * The open prompts of a run, in one form for all sources: memory, row and history.
 *
 * @module
 */

import type { PendingPrompt } from "../../authoring/handler.types.js";
import { acceptedTypes, isExternal, type Routing } from "../../engine/routing.js";
import type { OpenPrompt, RunState } from "../../engine/state.js";
import type { WorkflowEvent } from "../../event/event.js";
import type { EventRegistry } from "../../event/event-codec.js";

export interface AskingRun {
  readonly state: Pick<RunState, "runId" | "prompts">;
  readonly routing: Routing;
  readonly registry: EventRegistry;
}

export function openPrompts({ state, routing, registry }: AskingRun): PendingPrompt[] {
  return [...(state.prompts?.values() ?? [])].map((prompt) => ({
    promptId: prompt.promptId,
    event: prompt.event as WorkflowEvent,
    runId: state.runId,
    step: prompt.step,
    askedAtMs: prompt.askedAtMs,
    dueAtMs: prompt.wait?.dueAtMs ?? null,
    answerType: answerTypeOf(routing, registry, prompt),
  }));
}

/** The type of event that an answer becomes: that of the wait, or the only answer that the steps accept. */
export function answerTypeOf(routing: Routing, registry: EventRegistry, prompt: OpenPrompt): string | null {
  const [type, ...others] = answerTypes(routing, prompt);
  if (type === undefined || (prompt.wait === null && others.length > 0)) return null;
  return registry.get(type) === undefined ? null : type;
}

/** Types of the events that answer a prompt. */
export function answerTypes({ external, roles }: Routing, { wait }: OpenPrompt): readonly string[] {
  if (wait !== null) return wait.accepts;
  const types = external.flatMap((step) => acceptedTypes(step)).filter((type) => isExternal(roles.get(type)));
  return [...new Set(types)];
}
