/**
 * The streams of runs as they were read last, for all who read them here: an event is read and decoded once, however many
 * readers wait for it.
 *
 * What is kept is a part of a stream without a gap. It never changes, as long as the run is the same.
 *
 * @module
 */
import { type Outcome, type StreamedEvent, terminalEvent, type WorkflowEvent } from "../../../host.js";
import { countWhile } from "../../memory/memory-run.js";
import { assertHere, idOf, storedRun } from "../../store/run-key.js";
import type { RunKey, RunStore, StoredEvent, StoredRun } from "../../store/run-store.types.js";
import { unpackText } from "../../text/blob-text.js";
import { readShown } from "../../text/shown-text.js";
import { blobOf } from "../../worker/load/load.js";
import type { RegisteredWorkflow, RegisteredWorkflows } from "../../worker/workflows/registered-workflows.js";
import type { SharedReads } from "./watchers.js";

/** How many events are read at once. */
const PAGE = 200;
/** What is kept: of this many runs, of each so many events and characters. */
const RUNS = 64;
const EVENTS = 1_000;
const CHARACTERS = 1_000_000;

export interface StreamPage {
  readonly items: readonly StreamedEvent[];
  /** Nothing comes after it. */
  readonly isLast: boolean;
}

/** The source of the streams, and other readers in this process. */
export interface StoredRuns {
  readonly store: RunStore;
  readonly reads: SharedReads;
  storedOutcome(run: StoredRun): Outcome | null;
}

export class StreamCache {
  readonly #runs: StoredRuns;
  readonly #workflows: RegisteredWorkflows;
  /** The one that was used last is last. */
  readonly #streams: Map<string, CachedStream> = new Map();

  constructor(runs: StoredRuns, workflows: RegisteredWorkflows) {
    this.#runs = runs;
    this.#workflows = workflows;
  }

  /**
   * What comes after a number. Undefined: there is nothing yet.
   *
   * @param isFirst Of this reader: then the store is asked, as the run may be another of the same id.
   * @throws {WorkflowError} `RUN_UNKNOWN`
   */
  async read(key: RunKey, after: number, isFirst: boolean): Promise<StreamPage | undefined> {
    const { reads } = this.#runs;
    const id = idOf(key);
    const kept = isFirst ? null : this.#of(id).after(after);
    return kept ?? reads.get(`events after ${after} of ${id}`, () => this.#load(key, after));
  }

  async #load(key: RunKey, after: number): Promise<StreamPage | undefined> {
    const { store } = this.#runs;
    // In this order: what the run showed before its end is stored before its end.
    const run = await storedRun(store, key);
    const events = await store.events(key, { after, limit: PAGE });
    if (events.length === 0) {
      if (run.outcome !== null) return this.#end(run, after);
      assertHere(run);
      return undefined;
    }
    const workflow = this.#workflows.get(run.workflow);
    const read = await Promise.all(events.map((event) => this.#shown(key, event, workflow)));
    this.#of(idOf(key)).keep(run.createdAtMs, after, read);
    return { items: read.map(({ item }) => item), isLast: false };
  }

  #of(id: string): CachedStream {
    const stream = this.#streams.get(id) ?? new CachedStream();
    this.#streams.delete(id);
    this.#streams.set(id, stream);
    if (this.#streams.size > RUNS) this.#streams.delete(this.#streams.keys().next().value as string);
    return stream;
  }

  async #shown(key: RunKey, { sequence, text }: StoredEvent, { compiled }: RegisteredWorkflow): Promise<Read> {
    const { store } = this.#runs;
    const who = `event ${sequence} of run "${key.runId}"`;
    const whole = await unpackText(text, (hash) => blobOf(store, hash, who));
    return { item: { sequence, ...readShown(whole, compiled, who) }, characters: whole.length };
  }

  #end(run: StoredRun, after: number): StreamPage {
    const outcome = this.#runs.storedOutcome(run);
    const sequence = run.lastEvent + 1;
    const event = outcome === null ? null : (terminalEvent(outcome) as WorkflowEvent);
    const items = event === null || after >= sequence ? [] : [{ sequence, event, origin: null, promptId: null }];
    return { items, isLast: true };
  }
}

interface Read {
  readonly item: StreamedEvent;
  readonly characters: number;
}

/** Every event after number `#from`, up to the last one that is kept. */
class CachedStream {
  #createdAtMs = Number.NaN;
  #from = Number.NaN;
  #kept: Read[] = [];
  #characters = 0;

  /** Null: what comes after this number is not here. */
  after(number: number): StreamPage | null {
    const last = this.#kept.at(-1);
    if (last === undefined || !(number >= this.#from && number < last.item.sequence)) return null;
    const start = countWhile(this.#kept, ({ item }) => item.sequence <= number);
    return { items: this.#kept.slice(start, start + PAGE).map(({ item }) => item), isLast: false };
  }

  keep(createdAtMs: number, after: number, read: readonly Read[]): void {
    const last = this.#kept.at(-1)?.item.sequence ?? Number.NEGATIVE_INFINITY;
    const isSame = createdAtMs === this.#createdAtMs;
    if (isSame && after < last) return; // of one who is behind
    if (!isSame || after !== last) {
      this.#createdAtMs = createdAtMs;
      this.#from = after;
      this.#kept = [];
      this.#characters = 0;
    }
    this.#kept.push(...read);
    for (const { characters } of read) this.#characters += characters;
    this.#drop();
  }

  #drop(): void {
    let count = 0;
    while (this.#kept.length - count > EVENTS || this.#characters > CHARACTERS) {
      const dropped = this.#kept[count++];
      if (dropped === undefined) break;
      this.#from = dropped.item.sequence;
      this.#characters -= dropped.characters;
    }
    this.#kept.splice(0, count);
  }
}
