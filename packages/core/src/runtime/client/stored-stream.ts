/**
 * The stream of a run as the store has it: the same from its first event on, for every reader and in every process.
 *
 * @module
 */

import { makeEngineEvent, PiecesEvent, type StreamCursor, type StreamedEvent, type StreamSource } from "../../host.js";
import { PieceReader, piecesAfter, sizeOfAll } from "../../value/pieces.js";
import type { ValueType } from "../../value/storable.js";
import type { StreamPage } from "../reads/shared-reads.js";
import { idOf } from "../store/run-key.js";
import type { SeenCall } from "../worker/run/run-measures.js";
import type { SendSetup } from "./send-message.js";

export interface StoredStreamSetup extends SendSetup {
  /** Resolves once the run is stored. */
  readonly accept: () => Promise<void>;
}

interface Page extends StreamPage {
  /** Position of the next item. */
  position: number;
}

/** One reader. */
interface Reading {
  /** Page with items that were read and not delivered yet; `null` before the first page. */
  page: Page | null;
  readonly pieces: PieceReader;
}

export class StoredSource implements StreamSource {
  readonly types: readonly ValueType[] = [];
  readonly #setup: StoredStreamSetup;
  readonly #readings: WeakMap<StreamCursor, Reading> = new WeakMap();
  #isAccepted = false;
  readonly #waking: Set<() => void> = new Set();

  constructor(setup: StoredStreamSetup) {
    this.#setup = setup;
  }

  next(cursor: StreamCursor): StreamedEvent | null | undefined {
    const { page, pieces } = this.#readingOf(cursor);
    if (page === null) return undefined;
    for (;;) {
      const item = page.items[page.position++];
      if (item === undefined) return page.isLast ? null : (this.#writtenAfter(cursor) ?? undefined);
      cursor.after = item.sequence;
      const { event, writer } = item;
      const news = PiecesEvent.is(event) ? pieces.take(event, placeOf(item.origin, writer)) : event;
      if (news === event) return item;
      if (news !== null) return { ...item, event: makeEngineEvent(PiecesEvent, { ...(news as PiecesEvent) }) };
    }
  }

  #readingOf(cursor: StreamCursor): Reading {
    const reading = this.#readings.get(cursor) ?? { page: null, pieces: new PieceReader() };
    this.#readings.set(cursor, reading);
    return reading;
  }

  /**
   * Finds a call at work here that has written more than the reader has. A call of which the reader has nothing waits for its
   * first event, so that nothing overtakes earlier events of the run.
   */
  #unread({ pieces: reader }: Reading): { readonly written: SeenCall; readonly at: number } | null {
    const { runTable, key } = this.#setup;
    for (const written of runTable.live.get(idOf(key))?.words.atWork ?? []) {
      const known = reader.known.get(`${placeOf(written.origin, written.writer)} ${written.call}`);
      if (known?.attempt === written.attempt && known.at < sizeOfAll(written.pieces)) return { written, at: known.at };
    }
    return null;
  }

  #writtenAfter(cursor: StreamCursor): StreamedEvent | null {
    const reading = this.#readingOf(cursor);
    const unread = this.#unread(reading);
    if (unread === null) return null;
    const { at } = unread;
    const { call, origin, writer, attempt, pieces } = unread.written;
    const event = makeEngineEvent(PiecesEvent, { call, attempt, at, pieces: piecesAfter(pieces, at) });
    reading.pieces.take(event, placeOf(origin, writer));
    return { sequence: cursor.after ?? -1, event, origin, promptId: null, writer, call };
  }

  async changed(cursor: StreamCursor): Promise<void> {
    const { runTable, key, accept } = this.#setup;
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
      await runTable.watchers.until(
        idOf(key),
        async () => {
          const reading = this.#readingOf(cursor);
          if (isWoken || this.#unread(reading) !== null) return true;
          const page = await runTable.streams.read(key, cursor.after ?? -1, reading.page === null);
          if (page) reading.page = { ...page, position: 0 };
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

function placeOf(origin: string | null, writer: string | undefined): string {
  return `${origin ?? ""} ${writer ?? ""}`;
}
