/**
 * Whether a call may be made: decided by the rule of its tool, once, and then by a person.
 *
 * @module
 */
import { messageOf } from "@millrace/executor";
import type { Context } from "millrace";
import { stoppedEarly } from "../run/failure.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import type { Confirmation } from "../settings/tool.types.js";
import type { LoopRun } from "./loop-run.types.js";
import { ask } from "./questions.js";
import type { LoopTool } from "./tools.js";

export type Permission =
  /** `input` is what a person has made of the arguments. */
  { readonly value: unknown; readonly input?: unknown } | { readonly denied: string | null };

interface Asking {
  readonly ctx: Context;
  readonly call: ModelToolCall;
  readonly tool: LoopTool;
  readonly value: unknown;
  /** Reason of a guard to ask a person; `null` if there is none. */
  readonly wanted: string | null;
}

export async function permissionFor(run: LoopRun, asking: Asking): Promise<Permission> {
  const { ctx, call, tool, value, wanted } = asking;
  const needed = wanted === null ? await isNeeded(run, asking) : { problem: wanted };
  if (needed === null) return { value };
  assertGoesOn(run);
  let problem = needed.problem;
  for (let round = 0; ; round++) {
    const title = `May ${run.settings.name} call ${call.toolName}?`;
    const { timeout, otherwise } = tool.confirmation ?? {};
    const about = { kind: "permission" as const, title, call, problem, timeout, otherwise };
    const reply = await ask({ ctx, key: `permission.${round}` }, run, about);
    if (!reply.approved) return { denied: reply.note };
    if (reply.input === undefined) return { value };
    const parsed = await tool.parse(reply.input);
    if ("value" in parsed) return { value: parsed.value, input: reply.input };
    problem = `The changed arguments do not fit: ${parsed.problem}`;
  }
}

/**
 * No person is asked about a call whose result the model would never see.
 *
 * @throws {WorkflowError} `AGENT_FAILED` when no model call is left.
 */
export function assertGoesOn({ settings, turns }: LoopRun): void {
  if (settings.stopWhen.length === 0 && turns.length >= settings.maxSteps) throw stoppedEarly(settings);
}

interface Needed {
  readonly problem: string | null;
}

/** A rule that throws leads to a question: the call is not made without permission, and the run continues. */
async function isNeeded(run: LoopRun, { ctx, call, tool, value }: Asking): Promise<Needed | null> {
  const rule: Confirmation["when"] = tool.confirmation === null ? false : (tool.confirmation.when ?? true);
  if (typeof rule !== "function") return rule ? { problem: null } : null;
  return ctx.run("rule", (made) =>
    run.session.use({ ctx, call: made }, async (runContext): Promise<Needed | null> => {
      const { sessionState, signal } = runContext;
      try {
        const isTrue = await rule(value, { runContext, sessionState, signal, toolCallId: call.toolCallId });
        return isTrue ? { problem: null } : null;
      } catch (error) {
        if (signal.aborted) throw error;
        return { problem: `The rule of the tool failed: ${messageOf(error)}` };
      }
    }),
  );
}
