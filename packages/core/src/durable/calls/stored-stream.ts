/**
 * The stream of a run as the store has it: the same from its first event on, for every reader and in every process.
 *
 * @module
 */

import { createRunStream, type RunStream } from "../../stream/run-stream.js";
import type { StreamCursor, StreamOptions, StreamSource } from "../../stream/stream.types.js";
import type { StreamedEvent } from "../../stream/streamed-event.js";
import { wrongOption } from "../../value/option-value.js";
import type { ValueType } from "../../value/plain.js";
import { shown } from "../../value/shown.js";
import { refuseUnknown } from "../../value/unknown-options.js";
import type { RunRegistry } from "../claim/registry.js";
import type { StreamPage } from "../reads/stream-cache.js";
import type { RunKey } from "../store/run-store.types.js";
import { whenChanged } from "./change.js";

export interface StoredStreamSetup {
  readonly registry: RunRegistry;
  readonly key: RunKey;
  /** Resolves once the run is stored. */
  readonly accept: () => Promise<void>;
}

/** @throws {WorkflowError} `OPTION_INVALID` when `after` is not a number: pages would be lost without a word. */
export function storedStream(setup: StoredStreamSetup, options: StreamOptions = {}): RunStream {
  refuseUnknown("`streamEvents`", options, ["after", "signal"]);
  const after: unknown = options.after;
  if (after !== undefined && (typeof after !== "number" || Number.isNaN(after)))
    throw wrongOption(
      "after",
      `is ${shown(after)}; it must be the number of an event`,
      "Give the `sequence` of the last event that you have read.",
    );
  return createRunStream(new StoredSource(setup), options);
}

interface Page extends StreamPage {
  /** Of the item that comes next. */
  position: number;
}

class StoredSource implements StreamSource {
  readonly types: readonly ValueType[] = [];
  readonly #setup: StoredStreamSetup;
  /** What was read and not given yet, by reader. */
  readonly #pages: WeakMap<StreamCursor, Page> = new WeakMap();
  #isAccepted = false;
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
    const { registry, key, accept } = this.#setup;
    if (!this.#isAccepted) await accept();
    this.#isAccepted = true;
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
          if (isWoken) return true;
          const page = await registry.streams.read(key, cursor.after ?? -1, !this.#pages.has(cursor));
          if (page) this.#pages.set(cursor, { ...page, position: 0 });
          return page !== undefined || undefined;
        },
        {
          wake: (look) => {
            again = look;
          },
        },
      );
    } finally {
      this.#waking.delete(wake);
    }
  }

  wake(): void {
    for (const wake of this.#waking) wake();
  }
}
