/**
 * One run at a time, as a store to which components subscribe.
 *
 * It reads only while there are subscribers, and continues after the last event later. Events that arrive close
 * together are published together, so that thousands of events a second cost only a few renders.
 *
 * @module
 */

import { ClientError } from "../client-error.js";
import type { ClientRun, PendingPrompt, RunSummary, StreamedEvent } from "../run.types.js";
import { onReconnect, sleep, startWatchdog } from "../system.js";
import type { RunView } from "./run-view.types.js";

const PUBLISH_MS = 16;
/** Milliseconds between two reads of a run whose stream closes at once although the run continues. */
const PAUSE_MS = 250;

const idle: RunView = { status: "idle", handlerId: null, events: [], prompts: [], result: undefined, error: undefined };

/** A run that cannot be read. The run itself may continue. */
interface Unreadable {
  readonly status: "failed";
  readonly error: unknown;
  /** `true` when reading may work later. */
  readonly mayReturn: boolean;
}

interface Watched {
  readonly run: ClientRun;
  readonly events: StreamedEvent[];
  prompts: readonly PendingPrompt[];
  accepted: boolean;
  /** How the run has ended, or why it can no longer be read. */
  ended: RunSummary | Unreadable | null;
  /** Ids of the prompts that were answered here. */
  readonly closed: Set<string>;
  /** State of looking up prompts; `again` when something has happened since the look-up began. */
  looking: "no" | "once" | "again";
}

export class RunWatcher {
  #keepEvents = Number.POSITIVE_INFINITY;
  readonly #listeners = new Set<() => void>();
  #view: RunView = idle;
  #watched: Watched | null = null;
  #reading: AbortController | null = null;
  #publishing = false;

  readonly view = (): RunView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    const stopListening = onReconnect(() => this.#readAgain());
    this.#readAgain();
    return () => {
      stopListening();
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopReading();
    };
  };

  /** Retries reading, after a failure that may be over. */
  #readAgain(): void {
    const watched = this.#watched;
    if (watched?.ended && "mayReturn" in watched.ended && watched.ended.mayReturn) {
      watched.ended = null;
      this.#reading = null;
      this.#publishSoon();
    }
    this.#readOn();
  }

  /** Shows this run; `null` shows none. */
  watch(run: ClientRun | null): void {
    this.#stopReading();
    this.#watched = run && newlyWatched(run);
    this.#publish();
    if (this.#listeners.size > 0) this.#readOn();
  }

  /** Sets the number of events to keep. */
  keep(events: number): void {
    this.#keepEvents = events;
  }

  run(): ClientRun | null {
    return this.#watched?.run ?? null;
  }

  /** Closes a prompt that is answered or withdrawn. */
  close(promptId: string): void {
    const watched = this.#watched;
    if (watched === null) return;
    watched.closed.add(promptId);
    setPrompts(watched, watched.prompts);
    this.#publish();
  }

  #stopReading(): void {
    this.#reading?.abort();
    this.#reading = null;
  }

  #readOn(): void {
    const watched = this.#watched;
    if (watched === null || watched.ended !== null || this.#reading !== null) return;
    const reading = new AbortController();
    this.#reading = reading;
    void this.#read(watched, reading.signal).catch((error: unknown) => {
      if (reading.signal.aborted) return;
      watched.ended = { status: "failed", error, mayReturn: error instanceof ClientError && error.retryable };
      this.#publish();
    });
  }

  async #read(watched: Watched, signal: AbortSignal): Promise<void> {
    const { run, events } = watched;
    await run.accepted;
    watched.accepted = true;
    this.#publish();
    while (!signal.aborted) {
      for await (const item of run.stream({ after: events.at(-1)?.sequence ?? -1, signal })) this.#take(watched, item);
      const summary = await run.summary({ signal });
      if ("endedAtMs" in summary) {
        watched.ended = summary;
        return this.#publish();
      }
      await sleep(PAUSE_MS, signal);
    }
  }

  #take(watched: Watched, item: StreamedEvent): void {
    watched.events.push(item);
    if (watched.events.length > this.#keepEvents * 2)
      watched.events.splice(0, watched.events.length - this.#keepEvents);
    const { promptId, event } = item;
    if (promptId !== null && watched.prompts.every((prompt) => prompt.promptId !== promptId)) {
      setPrompts(watched, [...watched.prompts, { ...unknown, promptId, event, runId: watched.run.handlerId }]);
    }
    if (watched.prompts.length > 0) void this.#lookUpPrompts(watched);
    this.#publishSoon();
  }

  /**
   * Reads which prompts are open. Only the status of a waiting run is certain: others may have answered some, and the
   * stream contains old ones.
   */
  async #lookUpPrompts(watched: Watched): Promise<void> {
    if (watched.looking !== "no") {
      watched.looking = "again";
      return;
    }
    const signal = this.#reading?.signal;
    try {
      do {
        watched.looking = "once";
        const outcome = await watched.run.idle({ ...(signal && { signal }) });
        if (outcome.status === "waiting") setPrompts(watched, outcome.prompts);
        if (watched === this.#watched) this.#publishSoon();
      } while ((watched as { looking: string }).looking === "again");
    } catch {
      // The stream, which is read at the same time, reports the error.
    } finally {
      watched.looking = "no";
    }
  }

  #publishSoon(): void {
    if (this.#publishing) return;
    this.#publishing = true;
    startWatchdog(PUBLISH_MS, () => this.#publish()).touch();
  }

  #publish(): void {
    this.#publishing = false;
    this.#view = viewOf(this.#watched, this.#keepEvents);
    for (const listener of this.#listeners) listener();
  }
}

/** Of a prompt that the stream has shown and that was not looked up yet. */
const unknown = { step: null, askedAtMs: null, dueAtMs: null, answer: null };

function newlyWatched(run: ClientRun): Watched {
  return { run, events: [], prompts: [], closed: new Set(), accepted: false, ended: null, looking: "no" };
}

function setPrompts(watched: Watched, prompts: readonly PendingPrompt[]): void {
  watched.prompts = prompts.filter(({ promptId }) => !watched.closed.has(promptId));
}

function viewOf(watched: Watched | null, keepEvents: number): RunView {
  if (watched === null) return idle;
  const { run, prompts, ended } = watched;
  const base = {
    handlerId: run.handlerId,
    events: keepEvents === 0 ? [] : watched.events.slice(-keepEvents),
    result: undefined,
    error: undefined,
  };
  switch (ended?.status) {
    case "completed":
      return { ...base, prompts: [], status: "completed", result: ended.result };
    case "failed":
    case "cancelled":
      return { ...base, prompts: [], status: ended.status, error: ended.error };
    default:
      return { ...base, prompts, status: statusOf(watched) };
  }
}

function statusOf({ accepted, prompts }: Watched): "starting" | "running" | "waiting" {
  if (!accepted) return "starting";
  return prompts.length > 0 ? "waiting" : "running";
}
