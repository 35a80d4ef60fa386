/**
 * The stream of a run as the store has it: the same from its first event on, for every reader and in every process.
 *
 * @module
 */
import { terminalEvent } from "../engine/reduce/engine-events.js";
import type { WorkflowEvent } from "../event/event.js";
import type { StreamCursor, StreamOptions } from "../stream/event-stream.js";
import { createRunStream, type RunStream } from "../stream/run-stream.js";
import type { StreamSource } from "../stream/stream-source.js";
import type { StreamedEvent } from "../stream/streamed-event.js";
import type { ValueType } from "../value/plain.js";
import { unpackText } from "./blob-text.js";
import { whenChanged } from "./change.js";
import type { RunDesk } from "./desk.js";
import { blobOf } from "./load.js";
import type { RunKey, StoredEvent, StoredRun } from "./run-store.types.js";
import { runUnknown } from "./runtime-errors.js";
import { readShown } from "./shown-text.js";
import type { RegisteredWorkflow, WorkflowBook } from "./workflow-book.js";

/** How many events are read at once. */
const PAGE = 200;

export interface StoredStreamSetup {
  readonly desk: RunDesk;
  readonly book: WorkflowBook;
  readonly key: RunKey;
  /** Resolves once the run is stored. */
  readonly accept: () => Promise<void>;
}

export function storedStream(setup: StoredStreamSetup, options: StreamOptions = {}): RunStream {
  return createRunStream(new StoredSource(setup), options);
}

interface Page {
  readonly items: readonly StreamedEvent[];
  /** Of the item that comes next. */
  position: number;
  /** Nothing comes after it. */
  readonly isLast: boolean;
}

class StoredSource implements StreamSource {
  readonly types: readonly ValueType[] = [];
  readonly #setup: StoredStreamSetup;
  /** What was read and not given yet, by reader. */
  readonly #pages: WeakMap<StreamCursor, Page> = new WeakMap();
  readonly #waking: Set<() => void> = new Set();

  constructor(setup: StoredStreamSetup) {
    this.#setup = setup;
  }

  next(cursor: StreamCursor): StreamedEvent | null | undefined {
    const page = this.#pages.get(cursor);
    if (page === undefined) return undefined;
    const item = page.items[page.position++];
    if (item === undefined) return page.isLast ? null : undefined;
    cursor.after = item.sequence;
    return item;
  }

  async changed(cursor: StreamCursor): Promise<void> {
    await this.#setup.accept();
    let again: () => void = () => {};
    let isWoken = false;
    const wake = (): void => {
      isWoken = true;
      again();
    };
    this.#waking.add(wake);
    try {
      await whenChanged(
        this.#setup,
        async () => {
          const page = isWoken ? null : await this.#read(cursor.after ?? -1);
          if (page) this.#pages.set(cursor, page);
          return page !== undefined || undefined;
        },
        (look) => {
          again = look;
        },
      );
    } finally {
      this.#waking.delete(wake);
    }
  }

  wake(): void {
    for (const wake of this.#waking) wake();
  }

  /** Undefined: there is nothing yet. */
  async #read(after: number): Promise<Page | undefined> {
    const { desk, key, book } = this.#setup;
    desk.assertOpen();
    // In this order: what the run showed before its end is stored before its end.
    const run = await desk.store.run(key);
    if (run === null) throw runUnknown(key);
    const events = await desk.store.events(key, { after, limit: PAGE });
    const workflow = book.get(run.workflow);
    if (events.length > 0) {
      const items = await Promise.all(events.map((event) => this.#shown(event, workflow)));
      return { items, position: 0, isLast: false };
    }
    return run.outcome === null ? undefined : this.#end(run, after);
  }

  async #shown({ sequence, text }: StoredEvent, { compiled }: RegisteredWorkflow): Promise<StreamedEvent> {
    const { desk, key } = this.#setup;
    const who = `event ${sequence} of run "${key.runId}"`;
    const whole = await unpackText(text, (hash) => blobOf(desk.store, hash, who));
    return { sequence, ...readShown(whole, compiled, who) };
  }

  #end(run: StoredRun, after: number): Page {
    const outcome = this.#setup.desk.storedOutcome(run);
    const sequence = run.lastEvent + 1;
    const event = outcome === null ? null : (terminalEvent(outcome) as WorkflowEvent);
    const items = event === null || after >= sequence ? [] : [{ sequence, event, origin: null, promptId: null }];
    return { items, position: 0, isLast: true };
  }
}
