/**
 * Requests of a runtime that executes nothing to those that do: to resume or retry a run, and to cancel one that has not begun.
 *
 * A record holds the request, an entry in the list of due tasks brings it to an executing process, and the answer is written into the
 * record. Every executing process that sees it may serve it: its key makes it count once.
 *
 * @module
 */
import type { Receipt } from "../../authoring/handler.types.js";
import { WorkflowError, type WorkflowErrorOptions } from "../../errors/workflow-error.js";
import { decodeValue } from "../../event/decode.js";
import type { DoneBy } from "../../event/done-by.types.js";
import { systemIds } from "../../system/system.js";
import { encodeValue } from "../../value/codec.js";
import type { EncodedValue } from "../../value/tree.js";
import { storedRun } from "../store/run-key.js";
import type { RecordKey, RunKey, StoredRecord } from "../store/run-store.types.js";
import { addExpiry, removeExpiry } from "../tasks/expiring.js";
import { addDue, type DueEntry, removeDue, type StoredDueEntry } from "../tasks/task-queue.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/own-records.js";
import type { RunRegistry } from "../worker/claim/registry.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";
import { waitForChange } from "./wait-for-change.js";

/** How long an answer is kept for its caller. */
const KEPT_MS = 3_600_000;
/** A store need not report written records: the answer is polled at this pace. */
const LOOK_MS = 1_000;

export interface RemoteRequest {
  readonly how: "resume" | "retry" | "cancel";
  /** It counts once, however often it is served. Null: one is made up. */
  readonly idempotencyKey: string | null;
  /** Of a cancellation. */
  readonly reason?: unknown;
  /** Who asks for it. */
  readonly by?: DoneBy;
}

export type ServedRequest = RemoteRequest & { readonly idempotencyKey: string };

interface StoredRequest {
  readonly how: RemoteRequest["how"];
  readonly runId: string;
  readonly key: string;
  readonly reason: EncodedValue;
  readonly by?: DoneBy;
  /** Null: it is not answered yet. */
  readonly answer: Answer | null;
}

type Answer =
  | { readonly receipt: Receipt | null; readonly expiry: string }
  | { readonly error: WorkflowErrorOptions; readonly expiry: string };

export interface RunRequestsSetup extends RuntimeParts {
  readonly registry: RunRegistry;
  /** Does it here. Returns the receipt of a cancellation. */
  readonly serve: (key: RunKey, request: ServedRequest) => Promise<Receipt | null>;
}

export class RunRequests {
  readonly #setup: RunRequestsSetup;
  /** Entries that are being served here. */
  readonly #serving: Set<string> = new Set();

  constructor(setup: RunRequestsSetup) {
    this.#setup = setup;
  }

  /**
   * Resolves when a process has served it.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, and the error of the process that served it.
   */
  async ask(key: RunKey, { how, idempotencyKey, reason, by }: RemoteRequest): Promise<Receipt | null> {
    const { store, workflows, clock } = this.#setup;
    const run = await storedRun(store, key);
    const of: RecordKey = { tenant: key.tenant, kind: ownKind("request"), id: systemIds.runId() };
    const { values } = workflows.get(run.workflow).compiled;
    const request: StoredRequest = {
      how,
      runId: key.runId,
      key: idempotencyKey ?? of.id,
      reason: encodeValue(reason ?? null, "cancel: reason", values),
      ...(by !== undefined && { by }),
      answer: null,
    };
    const due: DueEntry = {
      what: "request",
      tenant: of.tenant,
      id: of.id,
      workflow: run.workflow,
      atMs: clock.now(),
      afterRun: null,
    };
    await store.writeRecords([{ ...of, expected: 0, text: JSON.stringify(request) }, addDue(store, due, 1)]);
    return this.#answered(key, of);
  }

  /** Begins to serve it, and does not wait: others are due, too. */
  async fire({ tenant, id, key }: StoredDueEntry): Promise<null> {
    if (this.#serving.has(key)) return null;
    const { registry, store, log } = this.#setup;
    const of: RecordKey = { tenant, kind: ownKind("request"), id };
    const record = await store.record(of);
    if (record === null) return null;
    this.#serving.add(key);
    this.#serve(of, record, key)
      .catch((error: unknown) => {
        if (registry.isStopped) return; // another process serves it
        log.error("A request of another process could not be served; it is tried again.", error);
      })
      .finally(() => this.#serving.delete(key));
    return null;
  }

  async #serve(of: RecordKey, record: StoredRecord, due: string): Promise<void> {
    const { store, workflows, clock, serve } = this.#setup;
    const request = requestOf(of, record);
    const { how, runId, key: idempotencyKey, reason, by } = request;
    const run = await store.run({ tenant: of.tenant, runId });
    const types = run === null ? [] : workflows.get(run.workflow).compiled.values;
    const given = { reason: decodeValue(reason, "reason", types), ...(by !== undefined && { by }) };
    const asked: ServedRequest = { how, idempotencyKey, ...given };
    const answer = await serve({ tenant: of.tenant, runId }, asked).then(
      (receipt) => ({ receipt }),
      (error: unknown) => ({ error: answerable(error) }),
    );
    const expiry = addExpiry(store, { ...of, version: record.version + 1 }, clock.now() + KEPT_MS);
    const answered: StoredRequest = { ...request, answer: { ...answer, expiry: expiry.id } };
    // In conflict with another process that has served it, too.
    await store.writeRecords([
      { ...of, expected: record.version, text: JSON.stringify(answered) },
      removeDue(due),
      expiry,
    ]);
  }

  async #answered(run: RunKey, of: RecordKey): Promise<Receipt | null> {
    const { registry, store, clock } = this.#setup;
    const look = async (): Promise<{ expected: number; answer: Answer } | undefined> => {
      const record = await store.record(of);
      if (record === null) return undefined;
      const { answer } = requestOf(of, record);
      return answer === null ? undefined : { expected: record.version, answer };
    };
    const timer = (again: () => void): (() => void) => clock.setTimer(clock.now() + LOOK_MS, again, true);
    const { expected, answer } = await waitForChange({ registry, key: run }, look, { timer });
    await store.writeRecords([{ ...of, expected, text: null }, removeExpiry(answer.expiry)]);
    if ("error" in answer) throw new WorkflowError(answer.error);
    return answer.receipt;
  }
}

function requestOf(of: RecordKey, { text }: StoredRecord): StoredRequest {
  return parseJson(text, `request "${of.id}"`) as StoredRequest;
}

/** @throws an error that does not concern the run: then the request is served again, here or elsewhere. */
function answerable(error: unknown): WorkflowErrorOptions {
  if (!WorkflowError.is(error) || error.code === "RUNTIME_STOPPED" || error.code.startsWith("STORE_")) throw error;
  return error.toJSON();
}
