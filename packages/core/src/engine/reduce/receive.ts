/**
 * Events from outside: delivered to exactly those for whom they are, or refused with a reason.
 *
 * @module
 */
import { promptClosed, type Receipt, refused } from "../command.js";
import { acceptedTypes, isExternal } from "../routing.js";
import type { OpenPrompt, PendingEvent } from "../state.js";
import type { EventReceived } from "../tick.js";
import { matchesWhere, resolveWait } from "./answers.js";
import { offer } from "./deliver.js";
import { isFull, keep } from "./inbox.js";
import { answerSender, type Reduction } from "./reduction.js";

export function onEventReceived(reduction: Reduction, tick: EventReceived): void {
  if (tick.promptId !== null) return answer(reduction, tick, tick.promptId);
  const pendingEvent: PendingEvent = { event: tick.event, scope: null, index: 0, recoveries: null, step: tick.step };
  if (tick.step !== null && !reduction.routing.steps.has(tick.step)) {
    const known = [...reduction.routing.steps.keys()].join(", ");
    return sendReceipt(
      reduction,
      tick,
      refused("STEP_UNKNOWN", `There is no step "${tick.step}": name one of ${known}.`),
    );
  }
  if (offer(reduction, pendingEvent)) {
    closeEmittedPrompt(reduction, tick.event.type);
    return accept(reduction, tick);
  }
  if (isFull(reduction)) {
    const { inboxSize } = reduction.routing.definition;
    const hint = `The run keeps at most ${inboxSize} events that no step accepts yet: send it later.`;
    return sendReceipt(reduction, tick, refused("INBOX_FULL", hint));
  }
  if (keep(reduction, pendingEvent)) return accept(reduction, tick);
  const refusal = tick.step === null ? "No step accepts" : `Step "${tick.step}" does not accept`;
  const hint = `${refusal} ${tick.event.type} now, and none that can still run waits for it.`;
  sendReceipt(reduction, tick, refused("EVENT_NOT_ACCEPTED", hint));
}

function accept(reduction: Reduction, tick: EventReceived): void {
  sendReceipt(reduction, tick, { status: "accepted", sequence: reduction.state.ticks });
}

function sendReceipt(reduction: Reduction, { ticket }: EventReceived, receipt: Receipt): void {
  if (ticket !== null) answerSender(reduction, ticket, receipt);
}

/** Answers exactly one prompt. */
function answer(reduction: Reduction, tick: EventReceived, promptId: string): void {
  const prompt = reduction.state.prompts?.get(promptId);
  if (!prompt) return sendReceipt(reduction, tick, promptClosed(promptId));
  if (prompt.wait === null) return answerEmitted(reduction, tick, prompt);
  const { wait } = prompt;
  const item = reduction.state.items.get(wait.item);
  if (!item || !wait.accepts.includes(tick.event.type) || !matchesWhere(wait.where, tick.event)) {
    const where = wait.where ? ` where ${JSON.stringify(wait.where)}` : "";
    const hint = `Prompt ${promptId} takes ${wait.accepts.join(" or ")}${where}.`;
    return sendReceipt(reduction, tick, refused("EVENT_NOT_ACCEPTED", hint));
  }
  resolveWait(reduction, wait, tick.event);
  accept(reduction, tick);
}

function answerEmitted(reduction: Reduction, tick: EventReceived, { promptId }: OpenPrompt): void {
  const pendingEvent: PendingEvent = { event: tick.event, scope: null, index: 0, recoveries: null, step: null };
  if (!offer(reduction, pendingEvent))
    return sendReceipt(reduction, tick, refused("EVENT_NOT_ACCEPTED", `No step accepts ${tick.event.type} now.`));
  reduction.state.prompts?.delete(promptId);
  accept(reduction, tick);
}

/** An answer without a prompt id closes the oldest prompt that a step has emitted. */
function closeEmittedPrompt(reduction: Reduction, type: string): void {
  const { prompts } = reduction.state;
  if (prompts === null || !isExternal(reduction.routing.roles.get(type))) return;
  if (!reduction.routing.external.some((step) => acceptedTypes(step).includes(type))) return;
  for (const prompt of prompts.values()) {
    if (prompt.wait !== null) continue;
    prompts.delete(prompt.promptId);
    return;
  }
}
