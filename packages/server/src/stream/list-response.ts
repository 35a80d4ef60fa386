/**
 * A list that is kept up to date, as Server-Sent Events: `open`, then `changed` and `gone`, and `reset` if the reader has to start
 * over. A slow reader gets each run as it is at the time of the read.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { Runtime } from "millrace/runtime";
import type { HandlerRecord } from "millrace/wire";
import { afterMs } from "../system.js";
import { labelsOf, matchesFilter, matchesFixed } from "../wire/matches-filter.js";
import type { ListFilter } from "../wire/schemas.js";
import { type KeptOpen, streamed } from "./live-response.js";
import type { LiveRuns, RunChange, RunListener } from "./live-runs.js";

export interface ListResponseOptions extends KeptOpen {
  readonly live: LiveRuns;
  readonly runtime: Runtime;
  readonly tenant: string;
  readonly filter: ListFilter;
}

const utf8 = new TextEncoder();
/** Most changes and characters that wait for the reader; beyond either, the reader has to start over. */
const most = { changes: 1_000, characters: 1_000_000 };
/** How soon a stream notices that the runtime has stopped. */
const lookMs = 1_000;

export function listResponse(options: ListResponseOptions): Response {
  return streamed(new ListReading(options), "text/event-stream");
}

class ListReading implements RunListener {
  readonly #options: ListResponseOptions;
  /** What is sent of each run, and how much that is. */
  readonly #waiting: Map<string, string> = new Map();
  /** Whether a run has the wanted values of its input, by id. */
  readonly #ofInput: Map<string, Promise<boolean>> = new Map();
  #characters = 0;
  #mustReset = false;
  #stop: (() => void) | null = null;
  #release: () => void = () => {};
  #wake: () => void = () => {};
  #isOpen = false;
  #isClosed = false;

  constructor(options: ListResponseOptions) {
    this.#options = options;
  }

  take(change: RunChange): void {
    const { filter, onError } = this.#options;
    if (filter.input === undefined || change.kind === "gone") return this.#take(change);
    this.#isOfInput(change.record)
      .then((isOf) => (isOf && !this.#isClosed ? this.#take(change) : undefined))
      .catch((error: unknown) => {
        onError(error);
        this.reset();
      });
  }

  /** Whether the store finds the run by the values of its input, which are in no record. Asked once for each run: they never change. */
  #isOfInput({ handler_id: runId, started_at: startedAt }: HandlerRecord): Promise<boolean> {
    const known = this.#ofInput.get(runId);
    if (known !== undefined) return known;
    const { runtime, tenant, filter } = this.#options;
    const atMs = Date.parse(startedAt);
    const input = labelsOf(filter.input ?? []) ?? {};
    const found = runtime
      .runs({ tenant, input, createdAfter: atMs - 1, createdBefore: atMs + 1, limit: 1_000 })
      .then(({ runs }) => runs.some((run) => run.runId === runId));
    if (this.#ofInput.size >= most.changes) this.#ofInput.clear();
    this.#ofInput.set(runId, found);
    return found;
  }

  #take(change: RunChange): void {
    const fitting = this.#fitting(change);
    if (fitting === null) return;
    const id = fitting.kind === "gone" ? fitting.runId : fitting.record.handler_id;
    const text = textOf(fitting);
    this.#characters += text.length - (this.#waiting.get(id)?.length ?? 0);
    this.#waiting.set(id, text);
    const isTooMuch = this.#waiting.size > most.changes || this.#characters > most.characters;
    if (isTooMuch && this.#waiting.size > 1) return this.reset();
    this.#wake();
  }

  reset(): void {
    this.#clear();
    this.#mustReset = true;
    this.#wake();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const chunk = this.#isOpen ? await this.#next() : await this.#open();
      if (this.#isClosed) return; // the client has disconnected
      if (chunk !== null) return controller.enqueue(utf8.encode(chunk));
      this.close();
      controller.close();
    } catch (error) {
      if (this.#isClosed) return;
      this.close();
      // A stream that ends makes the client connect again, which is right here.
      if (!WorkflowError.is(error, "RUNTIME_STOPPED")) this.#options.onError(error);
      controller.close();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
    this.#release();
    this.#clear();
    this.#wake();
  }

  #clear(): void {
    this.#waiting.clear();
    this.#characters = 0;
  }

  async #open(): Promise<string> {
    const { live, tenant, onOpen } = this.#options;
    this.#isOpen = true;
    this.#release = onOpen();
    const stop = await live.add(tenant, this);
    if (this.#isClosed) stop();
    else this.#stop = stop;
    return "retry: 1000\n\nevent: open\ndata: {}\n\n";
  }

  /** Everything that waits; `null` at the end. */
  async #next(): Promise<string | null> {
    const { heartbeatMs, runtime } = this.#options;
    for (let silentMs = 0; silentMs < heartbeatMs && !this.#isClosed; ) {
      if (isStopped(runtime)) return null;
      const texts = this.#taken();
      if (texts !== "") return texts;
      const ms = Math.min(lookMs, heartbeatMs - silentMs);
      silentMs += ms;
      await this.#woken(ms);
    }
    return this.#taken() || ": heartbeat\n\n";
  }

  #taken(): string {
    const texts = [...this.#waiting.values()].join("");
    this.#clear();
    const reset = this.#mustReset ? "event: reset\ndata: {}\n\n" : "";
    this.#mustReset = false;
    return reset + texts;
  }

  #woken(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = afterMs(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** A run of the list that no longer matches the filter leaves the list. */
  #fitting(change: RunChange): RunChange | null {
    const { filter } = this.#options;
    if (change.kind === "gone" || matchesFilter(change.record, filter)) return change;
    return matchesFixed(change.record, filter) ? { kind: "gone", runId: change.record.handler_id } : null;
  }
}

function textOf(change: RunChange): string {
  const json = change.kind === "gone" ? JSON.stringify({ handler_id: change.runId }) : change.json();
  return `event: ${change.kind}\ndata: ${json}\n\n`;
}

function isStopped(runtime: Runtime): boolean {
  try {
    runtime.watch(() => {})();
    return false;
  } catch {
    return true; // it contains nothing else
  }
}
