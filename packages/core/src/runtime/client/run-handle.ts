/**
 * A stored run for its caller, wherever it is: in memory here, in another process, or only in the store.
 *
 * @module
 */

import type { PendingPrompt, Receipt, RunOutcome } from "../../authoring/handler.types.js";
import type { ContextDict } from "../../authoring/store.types.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import {
  type AppliedTick,
  assertSendable,
  createRunStream,
  encodeRunner,
  type Outcome,
  outcomeError,
  type PromptAnswer,
  promptsOf,
  type RunStream,
  receiptOfAnswer,
  runOutcome,
  type Sendable,
  type StreamOptions,
  tolerant,
  type WorkflowEvent,
  wakeAt,
} from "../../host.js";
import { markHandled } from "../../system/deferred.js";
import { assertOption, assertSignal } from "../../value/options.js";
import type { RawSnapshot } from "../api/history.types.js";
import type {
  AnswerOptions,
  CallerOptions,
  IdleOptions,
  PostOptions,
  RawOptions,
  RunHandle,
  RunListing,
  SendOptions,
} from "../api/runtime.types.js";
import { contextOf, rawSnapshotOf, ticksThrough } from "../history/history.js";
import { byOf, checkCallOptions, checkNames } from "../options/call-options.js";
import { idOf, storedRun } from "../store/run-key.js";
import type { StoredRun } from "../store/run-store.types.js";
import { runUnknown } from "../store/store-kit.js";
import { readPrompts } from "../text/journal-text.js";
import { entries, keptTicks, type LoadFrom, loadTree } from "../worker/load/load.js";
import { type Message, scopedKey } from "../worker/run/messages.js";
import { toListing } from "./run-lists.js";
import { type SendSetup, type SentMessage, sendMessage } from "./send-message.js";
import { StoredSource } from "./stored-stream.js";

/** For a start with `dedupe`, `key` is that of the run that counts, once it is accepted. */
export interface HandleSetup extends SendSetup {
  /** Resolves once the run is stored; to its row, where that was read. */
  readonly accept: () => Promise<StoredRun | null>;
}

export class StoredRunHandle implements RunHandle<unknown> {
  readonly #setup: HandleSetup;
  #result: Promise<unknown> | null = null;

  constructor(setup: HandleSetup) {
    this.#setup = setup;
  }

  get [Symbol.toStringTag](): string {
    return "RunHandle";
  }

  get runId(): string {
    return this.#setup.key.runId;
  }

  get tenant(): string {
    return this.#setup.key.tenant;
  }

  get accepted(): Promise<void> {
    return markHandled(this.#isThere().then(() => {}));
  }

  // biome-ignore lint/suspicious/noThenProperty: a handle is a promise of the result
  then: Promise<unknown>["then"] = (...args) => this.#awaited().then(...args);
  catch: Promise<unknown>["catch"] = (...args) => this.#awaited().catch(...args);
  finally: Promise<unknown>["finally"] = (...args) => this.#awaited().finally(...args);

  /** The result, for which it waits from the first call on. */
  #awaited(): Promise<unknown> {
    this.#result ??= markHandled(this.#whenEnded());
    return this.#result;
  }

  async #whenEnded(): Promise<unknown> {
    const outcome = await this.#outcome();
    const ended = runOutcome(this.runId, outcome);
    if (ended.status === "completed") return ended.result;
    throw outcomeError(this.runId, outcome);
  }

  async #outcome(): Promise<Outcome> {
    const { runTable, key } = this.#setup;
    await this.#isThere();
    const readRow = () => runTable.sharedRow(key);
    const id = idOf(key);
    // An active run in this process reports each commit, and finally its end.
    const isEarly = () => !runTable.watchers.isOver && runTable.live.get(id)?.phase === "live";
    return runTable.watchers.until(id, async () => (await runTable.outcome(key, readRow)) ?? undefined, { isEarly });
  }

  async sendEvent<Event>(event: Sendable<Event>, options: SendOptions = {}): Promise<Receipt> {
    checkCallOptions("sendEvent", options);
    const sent = event as WorkflowEvent;
    assertSendable(sent);
    const { step = null } = options;
    const by = byOf(options);
    checkNames({ key: options.key });
    const { receipt } = await this.#send({ kind: "event", event: sent, step, ...by }, options.key ?? null);
    return receipt;
  }

  async answer(promptId: string, fields: object = {}, options: AnswerOptions = {}): Promise<Receipt> {
    checkCallOptions("answer", options);
    const { by = { door: "api" } } = byOf(options);
    checkNames({ key: options.key });
    const { receipt } = await this.#send({ kind: "answer", promptId, fields, by }, options.key ?? null);
    const said = receiptOfAnswer(receipt); // a stored receipt may be of the end of the run
    if (said.status !== "refused" || said.code !== "PROMPT_CLOSED") return said;
    const answered = await this.#answerTo(promptId);
    return answered === null ? said : { ...said, details: { answered } };
  }

  async #answerTo(promptId: string): Promise<PromptAnswer | null> {
    const { store, workflows } = this.#setup.runTable;
    const run = await this.#row();
    const workflow = workflows.find(run.workflow);
    return workflow === undefined ? null : answerTo({ store, run, workflow }, promptId);
  }

  async cancel(reason?: unknown, options: CallerOptions & PostOptions = {}): Promise<Receipt> {
    checkCallOptions("cancel", options);
    checkNames({ key: options.key });
    const message: Message = { kind: "cancel", reason: reason ?? null, ...byOf(options) };
    const { receipt, wasHere } = await this.#send(message, scopedKey("cancel", options.key));
    // A stored receipt comes with the end of the run, which may have been resumed since.
    if (wasHere) await this.#outcome();
    return receipt;
  }

  streamEvents<Event extends WorkflowEvent = WorkflowEvent>(options: StreamOptions = {}): RunStream<Event> {
    const { after = 0 }: { readonly after?: unknown } = Object(options);
    assertOption(typeof after === "number" && !Number.isNaN(after), "after", "the number of an event"); // it would read nothing
    const source = new StoredSource({ ...this.#setup, accept: () => this.accepted });
    return createRunStream(source, options) as RunStream<Event>;
  }

  async idle(options: IdleOptions = {}): Promise<RunOutcome> {
    checkCallOptions("idle", options);
    const { signal } = options;
    assertSignal(signal);
    await this.#isThere();
    const { runTable, key } = this.#setup;
    return runTable.watchers.until(idOf(key), () => this.#lookIdle(true, signal), { signal });
  }

  async outcome(): Promise<RunOutcome | null> {
    await this.accepted;
    return (await this.#lookIdle(false)) ?? null;
  }

  async prompts(): Promise<readonly PendingPrompt[]> {
    const { runTable, key } = this.#setup;
    await this.accepted;
    const live = runTable.live.get(idOf(key));
    if (live?.phase === "live") return promptsOf(live.runner);
    const run = await this.#row();
    if (run.outcome !== null || live?.phase === "ended") return [];
    if (run.status !== "running" && run.status !== "queued") return this.#waitingPrompts(run);
    // Another process has the run, perhaps with newer code: its prompts are read from its stored events.
    const { store, workflows } = runTable;
    const workflow = workflows.get(run.workflow);
    const { tree } = await loadTree({ store, run, workflow: { ...workflow, compiled: tolerant(workflow.compiled) } });
    return tree.prompts();
  }

  snapshot(): Promise<ContextDict>;
  snapshot(options: RawOptions): Promise<RawSnapshot | null>;
  async snapshot(options?: RawOptions): Promise<ContextDict | RawSnapshot | null> {
    if (options !== undefined) checkCallOptions("snapshot", options);
    const { runTable, key } = this.#setup;
    await this.#isThere();
    if (options?.raw === true) return rawSnapshotOf({ store: runTable.store, run: await this.#row() });
    const live = runTable.live.get(idOf(key));
    if (live?.phase === "live" || live?.phase === "ended") return encodeRunner(live.runner);
    const { tree } = await loadTree(await runTable.from(key));
    return contextOf(tree);
  }

  async summary(): Promise<RunListing> {
    await this.accepted;
    const { runTable, key } = this.#setup;
    const listed = toListing(await this.#row());
    const live = runTable.live.get(idOf(key));
    // The row does not yet have the latest progress of a run in memory.
    if (live === undefined || listed.endedAtMs !== null) return listed;
    const { runner, phase } = live;
    const { outcome, atMs } = runner.state;
    const lastEvent = runner.published - 1;
    if (phase === "ended" && outcome !== null)
      return { ...listed, status: outcome.status, updatedAtMs: atMs, endedAtMs: atMs, wakeAtMs: null, lastEvent };
    if (phase !== "live") return listed;
    const isWaiting = runner.isQuiet();
    return {
      ...listed,
      status: isWaiting ? "waiting" : "running",
      wakeAtMs: isWaiting ? wakeAt(runner) : null,
      lastEvent,
    };
  }

  /**
   * Looks for the outcome of an idle run; `undefined` if the run has work to do.
   *
   * @param waits Whether to wait for a run that works here, as other callers may do at the same time.
   */
  async #lookIdle(waits: boolean, signal?: AbortSignal): Promise<RunOutcome | undefined> {
    const { runTable, key } = this.#setup;
    const readRow = () => (waits ? runTable.sharedRow(key) : this.#row());
    await runTable.whenLoaded(key); // claimed because it has work to do, which its row does not say
    const live = runTable.live.get(idOf(key));
    if (live?.phase === "live") {
      const { runner } = live;
      if (!waits && !runner.isIdle()) return undefined; // it may have come into memory only now
      await runner.idle(signal); // also when the run leaves memory
      if (runner.live && runner.isQuiet())
        return { status: "waiting", prompts: promptsOf(runner), wakeAtMs: wakeAt(runner) };
    }
    const outcome = await runTable.outcome(key, readRow);
    if (outcome !== null) return runOutcome(key.runId, outcome);
    const run = await readRow();
    if (run === null) throw runUnknown(key);
    if (run.status !== "waiting" && run.status !== "scheduled") return undefined;
    return { status: "waiting", prompts: this.#waitingPrompts(run), wakeAtMs: run.wakeAtMs };
  }

  /** Newer code may have asked them. */
  #waitingPrompts(run: StoredRun): readonly PendingPrompt[] {
    const { key, runTable } = this.#setup;
    const { compiled } = runTable.workflows.get(run.workflow);
    return readPrompts(run.waiting, tolerant(compiled), `run "${key.runId}"`);
  }

  /** The row of the run, if it was read. */
  #isThere(): Promise<StoredRun | null> {
    return markHandled(this.#setup.accept());
  }

  #row(): Promise<StoredRun> {
    const { runTable, key } = this.#setup;
    return storedRun(runTable.store, key);
  }

  async #send(message: Message, idempotencyKey: string | null): Promise<SentMessage> {
    const row = await this.#isThere();
    return sendMessage(this.#setup, message, { idempotencyKey, row });
  }
}

// ---- answers of prompts that are closed

/**
 * Reads the answer from the journal. `null` if it has no answer, its tick is no longer kept, or this code cannot read the journal.
 */
async function answerTo(from: LoadFrom, promptId: string): Promise<PromptAnswer | null> {
  try {
    const sent = await firstSent(from, promptId);
    return sent === null ? null : await firstTaken(from, promptId, sent);
  } catch (error) {
    // The refusal itself holds without it.
    if (WorkflowError.is(error)) return null;
    throw error;
  }
}

/** Number of the first tick with an answer to the prompt, which the run may have refused. */
async function firstSent(from: LoadFrom, promptId: string): Promise<number | null> {
  const { first } = await keptTicks(from);
  for await (const { number, entry } of entries(from, first - 1))
    if (entry.json.type === "event.received" && entry.json["promptId"] === promptId) return number;
  return null;
}

/** Returns the answer that the run has accepted: only the reducer knows which of several it was. */
async function firstTaken(from: LoadFrom, promptId: string, sent: number): Promise<PromptAnswer | null> {
  const loaded = await loadTree(from, sent - 1);
  for await (const { applied } of ticksThrough(from, loaded)) {
    const answer = takenAnswer(applied, promptId);
    if (answer !== null) return answer;
  }
  return null;
}

function takenAnswer({ tick, commands }: AppliedTick, promptId: string): PromptAnswer | null {
  if (tick.type !== "event.received" || tick.promptId !== promptId) return null;
  const isTaken = commands.some((command) => command.type === "receipt.send" && command.receipt.status === "accepted");
  return isTaken ? { atMs: tick.atMs, by: tick.by ?? null } : null;
}
