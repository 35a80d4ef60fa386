/**
 * Events from outside: delivered to exactly those for whom they are, or refused with a reason.
 *
 * @module
 */
import { promptClosed, type Receipt, refused } from "../command.js";
import { acceptedTypes, isExternal } from "../routing.js";
import type { OpenPrompt, Parcel } from "../state.js";
import type { EventReceived } from "../tick.js";
import { matchesWhere, resolveWait } from "./answers.js";
import { offer } from "./deliver.js";
import { isFull, keep } from "./inbox.js";
import { tell, type Work } from "./work.js";

export function onEventReceived(work: Work, tick: EventReceived): void {
  if (tick.promptId !== null) return answer(work, tick, tick.promptId);
  const parcel: Parcel = { event: tick.event, scope: null, index: 0, recoveries: null, step: tick.step };
  if (tick.step !== null && !work.routing.steps.has(tick.step)) {
    const known = [...work.routing.steps.keys()].join(", ");
    return sendReceipt(work, tick, refused("STEP_UNKNOWN", `There is no step "${tick.step}": name one of ${known}.`));
  }
  if (offer(work, parcel)) {
    closeEmittedPrompt(work, tick.event.type);
    return accept(work, tick);
  }
  if (isFull(work)) {
    const { inboxSize } = work.routing.definition;
    const hint = `The run keeps at most ${inboxSize} events that nobody takes yet: send it later.`;
    return sendReceipt(work, tick, refused("INBOX_FULL", hint));
  }
  if (keep(work, parcel)) return accept(work, tick);
  const nobody = tick.step === null ? "No step accepts" : `Step "${tick.step}" does not accept`;
  const hint = `${nobody} ${tick.event.type} now, and none that can still run waits for it.`;
  sendReceipt(work, tick, refused("EVENT_NOT_ACCEPTED", hint));
}

function accept(work: Work, tick: EventReceived): void {
  sendReceipt(work, tick, { status: "accepted", sequence: work.state.ticks });
}

function sendReceipt(work: Work, { ticket }: EventReceived, receipt: Receipt): void {
  if (ticket !== null) tell(work, ticket, receipt);
}

/** Answers exactly one prompt. */
function answer(work: Work, tick: EventReceived, promptId: string): void {
  const prompt = work.state.prompts?.get(promptId);
  if (!prompt) return sendReceipt(work, tick, promptClosed(promptId));
  if (prompt.wait === null) return answerEmitted(work, tick, prompt);
  const { wait } = prompt;
  const item = work.state.items.get(wait.item);
  if (!item || !wait.accepts.includes(tick.event.type) || !matchesWhere(wait.where, tick.event)) {
    const where = wait.where ? ` where ${JSON.stringify(wait.where)}` : "";
    const hint = `Prompt ${promptId} takes ${wait.accepts.join(" or ")}${where}.`;
    return sendReceipt(work, tick, refused("EVENT_NOT_ACCEPTED", hint));
  }
  resolveWait(work, wait, tick.event);
  accept(work, tick);
}

function answerEmitted(work: Work, tick: EventReceived, { promptId }: OpenPrompt): void {
  const parcel: Parcel = { event: tick.event, scope: null, index: 0, recoveries: null, step: null };
  if (!offer(work, parcel))
    return sendReceipt(work, tick, refused("EVENT_NOT_ACCEPTED", `No step accepts ${tick.event.type} now.`));
  work.state.prompts?.delete(promptId);
  accept(work, tick);
}

/** An answer without a prompt id closes the oldest prompt that a step has emitted. */
function closeEmittedPrompt(work: Work, type: string): void {
  const { prompts } = work.state;
  if (prompts === null || !isExternal(work.routing.roles.get(type))) return;
  if (!work.routing.external.some((step) => acceptedTypes(step).includes(type))) return;
  for (const prompt of prompts.values()) {
    if (prompt.wait !== null) continue;
    prompts.delete(prompt.promptId);
    return;
  }
}
