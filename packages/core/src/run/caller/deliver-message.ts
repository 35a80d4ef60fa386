/**
 * What a run in memory can be told from outside.
 *
 * @module
 */
import { type Receipt, runFinished } from "../../engine/command.js";
import type { DoneBy } from "../../event/done-by.types.js";
import type { WorkflowEvent } from "../../event/event.js";
import { endWriting } from "../attempt/piece-writer.js";
import type { LiveRun } from "../run.types.js";
import { answerPrompt, deliverEvent } from "./deliver-event.js";

interface Asked {
  /** Who asks for it. Left out: it is not known. */
  readonly by?: DoneBy;
}

type Cancellation = Asked & { readonly kind: "cancel"; readonly reason: unknown };

export type OutsideMessage =
  | (Asked & { readonly kind: "event"; readonly event: WorkflowEvent; readonly step: string | null })
  | (Asked & { readonly kind: "answer"; readonly promptId: string; readonly fields: unknown })
  | Cancellation;

/** The post that a message came with. */
export interface Delivery {
  /** Below zero: the position of the post. @default a new ticket */
  readonly ticket?: number;
  /** Epoch milliseconds. @default now */
  readonly atMs?: number;
}

/** `null`: the run has left memory, so there is no receipt here. */
export function deliver(run: LiveRun, message: OutsideMessage, from: Delivery = {}): Promise<Receipt | null> {
  switch (message.kind) {
    case "event":
      return deliverEvent(run, { ...message, promptId: null, ...from });
    case "answer":
      return answerPrompt(run, { ...message, ...from });
    case "cancel":
      return cancelRun(run, message, from);
  }
}

/** Resolves once the cancellation is stored: a receipt must not be there before its effect. */
async function cancelRun(run: LiveRun, { reason, by }: Cancellation, { ticket }: Delivery): Promise<Receipt | null> {
  if (!run.live) return run.isEvicted ? null : runFinished(run.state.status);
  return new Promise((resolve) => {
    endWriting(run);
    const stored = run.ticket(resolve, ticket);
    const tick = { type: "run.cancelled", atMs: run.now(), reason, ticket: stored } as const;
    run.submit(by === undefined ? tick : { ...tick, by });
  });
}
