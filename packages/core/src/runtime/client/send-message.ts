/**
 * Sends a message to a run, wherever it is: to the run in memory here, or as a post that its owner takes.
 *
 * @module
 */

import type { Receipt } from "../../authoring/handler.types.js";
import { runFinished } from "../../host.js";
import { Deferred } from "../../system/deferred.js";
import { assertHere, idOf, storedRun } from "../store/run-key.js";
import type { RunChange, RunKey, StoredRun } from "../store/run-store.types.js";
import { isOfNewerCode, runUnknown } from "../store/store-kit.js";
import type { RunTable } from "../worker/claim/run-table.js";
import type { DurableRun } from "../worker/run/durable-run.js";
import {
  AskedContinuation,
  type Continuation,
  continues,
  deliverFound,
  deliverMessage,
  isContinuation,
  isUrgent,
  type Message,
  messageText,
  readReceipt,
  refusedByEnd,
} from "../worker/run/messages.js";

export interface SendSetup {
  readonly runTable: RunTable;
  readonly key: RunKey;
}

export interface Sending {
  /** A second message with the same key changes nothing. `null` if it counts every time. */
  readonly idempotencyKey: string | null;
  /** The row of the run, if it was just read. */
  readonly row: StoredRun | null;
}

interface Opening extends Pick<Sending, "row"> {
  readonly asked: AskedContinuation | undefined;
}

export interface SentMessage {
  readonly receipt: Receipt;
  /** `true` if the run was in memory here, so what the message did is stored and no post was needed. */
  readonly wasHere: boolean;
}

/**
 * Resolves with the receipt, once what the message did is stored. With a key, always posts: the store knows the keys.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_MOVED`, `RUN_FINISHED` and `RUN_NOT_RETRYABLE` for `resume` and `retry`,
 * `VALUE_UNSERIALIZABLE`, what is wrong with the message, and what keeps the run from being loaded here.
 */
export async function sendMessage(setup: SendSetup, message: Message, sending: Sending): Promise<SentMessage> {
  for (;;) {
    const asked = isContinuation(message.kind) ? new AskedContinuation(message as Continuation) : undefined;
    const live = sending.idempotencyKey === null ? await openHere(setup, message, { ...sending, asked }) : null;
    if (live === null) return { receipt: await post(setup, message, sending), wasHere: false };
    // Messages that no other process could read are refused here, too.
    if (message.kind === "answer") messageText(message, live.workflow.compiled);
    const answered = new Deferred<Receipt | null>();
    if (asked?.isTaken) asked.stored.then(() => answered.resolve({ status: "accepted", sequence: 0 }));
    else deliverMessage(live.runner, message).then(answered.resolve, (error: unknown) => answered.reject(error));
    const receipt = await Promise.race([answered.promise, live.left.then(() => null)]);
    if (receipt !== null) return { receipt, wasHere: true };
    await live.left;
    if (live.failure !== null) throw live.failure; // whether it was stored is not known
  }
}

/** Stores the message in the first look, so that no change after it is missed. */
async function post(setup: SendSetup, message: Message, { idempotencyKey, row }: Sending): Promise<Receipt> {
  const { runTable, key } = setup;
  const run = row ?? (await lastRow(setup));
  if (run.outcome === null || continues(message, run.status)) assertHere(run);
  else if (isUrgent(message.kind)) return refusedByRow(setup, message, { idempotencyKey, row: run });
  const text = messageText(message, runTable.workflows.get(run.workflow).compiled);
  const posted = { idempotencyKey, atMs: runTable.clock.now(), text, ...(isUrgent(message.kind) && { urgent: true }) };
  const awaited = new AwaitedReceipt();
  const look = async (): Promise<Receipt | undefined> => {
    if (awaited.position !== null) return receiptOf(setup, message, awaited);
    return runTable.whileOpening(key, store);
  };
  const store = async (): Promise<Receipt | undefined> => {
    const known = runTable.live.get(idOf(key));
    const result = await runTable.store.post(key, posted);
    if (result.status === "unknown") throw runUnknown(key);
    if (result.status === "ended") return runFinished(result.run.status);
    if (result.status === "duplicate" && result.receipt !== null) return readReceipt(result.receipt);
    const { position } = result;
    awaited.position = position;
    awaited.isReported ||= result.status === "duplicate";
    const live = await runTable.open(key, isUrgent(message.kind) ? "urgent" : "asked").catch((error: unknown) => {
      if (!isOfNewerCode(error) || (isContinuation(message.kind) && run.outcome === null)) throw error;
      return null; // a process that has that code takes the message
    });
    if (live !== null) await deliverFound(runTable.store, { ...posted, key, position }, { live, known });
    return undefined;
  };
  const { clock } = runTable;
  const isEarly = (change: RunChange | undefined): boolean => awaited.isEarly(change);
  const timer = (again: () => void): (() => void) => {
    const late = (): void => void (awaited.isEarly(undefined) || again());
    return awaited.mayBeMissed ? clock.setTimer(clock.now() + LOOK_MS, late, true) : () => {};
  };
  return runTable.watchers.until(idOf(key), look, { isEarly, timer });
}

/** The row, with the end of a run that has just ended here. */
async function lastRow({ runTable, key }: SendSetup): Promise<StoredRun> {
  const live = runTable.live.get(idOf(key));
  if (live?.phase === "ended") await live.left;
  return storedRun(runTable.store, key);
}

/** The run has ended, and the message is not for ended runs: its receipt if its key is known, else the refusal. */
async function refusedByRow(
  { runTable, key }: SendSetup,
  { kind }: Message,
  { idempotencyKey, row }: Sending,
): Promise<Receipt> {
  const earlier = idempotencyKey === null ? null : await runTable.store.receipt(key, idempotencyKey);
  return earlier === null ? refusedByEnd(kind, key.runId, row?.status ?? "completed") : readReceipt(earlier);
}

/** `null` also for a run of newer code, which takes the message as a post. */
async function openHere(setup: SendSetup, message: Message, { row, asked }: Opening): Promise<DurableRun | null> {
  const { runTable, key } = setup;
  const live = runTable.live.get(idOf(key));
  if (asked !== undefined && !live?.takesMessages) {
    await live?.left;
    const run = row ?? (await lastRow(setup));
    // A run that has not ended, and one that refuses the message, is not claimed without a post.
    if (!continues(message, run.status)) return null;
    assertHere(run);
  }
  return runTable.open(key, asked === undefined ? "asked" : "urgent", asked).catch((error: unknown) => {
    if (isOfNewerCode(error)) return null;
    throw error;
  });
}

async function receiptOf(setup: SendSetup, { kind }: Message, awaited: AwaitedReceipt): Promise<Receipt | undefined> {
  const { runTable, key } = setup;
  const read = () => runTable.store.receipt(key, awaited.position as number);
  const receipt = await read();
  if (receipt !== null) return readReceipt(receipt);
  if (!awaited.mayHaveEnded()) return undefined;
  const run = await storedRun(runTable.store, key);
  if (run.outcome === null || isContinuation(kind)) {
    assertHere(run);
    return undefined;
  }
  const last = await read(); // it may have come with the end
  return last === null ? runFinished(run.status) : readReceipt(last);
}

/** If only one change is reported, the receipt may have come with it: then it is looked for after so long. */
const LOOK_MS = 100;

/** Knowledge about a receipt that is on its way, from the reported changes of its run. */
class AwaitedReceipt {
  /** Position of the post; `null` until it is stored. */
  position: number | null = null;
  /** `true` if the report of the post itself has come, or none will. */
  isReported = false;
  mayBeMissed = true;
  #mayHaveEnded = false;

  /** The first change that is reported is the post, as a rule: the one that matters follows. */
  isEarly(change: RunChange | undefined): boolean {
    const isPost = change === "due" && !this.isReported;
    this.isReported = true;
    this.mayBeMissed &&= isPost;
    this.#mayHaveEnded ||= change === undefined || change === "ended";
    return isPost;
  }

  /** Asked once per look: whether the run may have ended since the last one. */
  mayHaveEnded(): boolean {
    const mayHaveEnded = this.#mayHaveEnded;
    this.#mayHaveEnded = false;
    return mayHaveEnded;
  }
}
