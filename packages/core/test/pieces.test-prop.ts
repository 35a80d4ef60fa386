/** Pieces are one list however they are cut, and a reader has each once however often they come. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileWorkflow, decodeTick, encodeTick, type Tick } from "../src/entries/engine.js";
import { makeEngineEvent, PiecesEvent } from "../src/event/built-in-events.js";
import { type Piece, PieceReader, type WrittenPieces } from "../src/index.js";
import { addPiece } from "../src/run/attempt/piece-writer.js";
import { shortTick, wholeTick } from "../src/runtime/text/journal-text.js";
import { piecesAfter, sizeOf, sizeOfAll } from "../src/value/pieces.js";
import { flowOf } from "./support/note-flow.js";

const text = fc.string({ minLength: 1, maxLength: 6 });
const piece: fc.Arbitrary<Piece> = fc.oneof(
  text,
  fc.record({ kind: fc.constantFrom("text", "reasoning"), id: fc.constantFrom("1", "2"), text }),
  fc.record({ kind: fc.constant("call"), input: fc.integer() }),
);
const written = fc.array(piece, { maxLength: 20 });

function merged(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const one of pieces) addPiece(all, one);
  return all;
}

describe("a list of pieces", () => {
  it("is the same however it is cut", () => {
    fc.assert(
      fc.property(written, fc.nat(60), (pieces, at) => {
        const all = merged(pieces);
        const rest = piecesAfter(all, at);

        expect(sizeOfAll(all)).toBe(pieces.reduce((sum, one) => sum + sizeOf(one), 0));
        expect(sizeOfAll(rest)).toBe(Math.max(0, sizeOfAll(all) - at));
        const head = at <= 0 ? [] : cut(all, at);
        expect(merged([...head, ...rest])).toEqual(all);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The pieces before a position: character by character. */
function cut(pieces: readonly Piece[], at: number): Piece[] {
  const head: Piece[] = [];
  let size = 0;
  for (const one of pieces) for (const part of partsOf(one)) if (size++ < at) head.push(part);
  return head;
}

function partsOf(one: Piece): Piece[] {
  if (typeof one === "string") return one.split("");
  const { text: own } = one as { readonly text?: string };
  return own === undefined ? [one] : own.split("").map((character) => ({ ...one, text: character }));
}

describe("a reader", () => {
  const delivery = fc.record({ from: fc.nat(30), length: fc.nat(15), attempt: fc.nat(2), isAll: fc.boolean() });

  it("has each piece of the last attempt once, whatever overlaps and repeats", () => {
    fc.assert(
      fc.property(
        fc.array(written, { minLength: 3, maxLength: 3 }),
        fc.array(delivery, { maxLength: 25 }),
        (lists, deliveries) => {
          const attempts = lists.map(merged);
          const reader = new PieceReader();
          let got: Piece[] = [];
          let [attempt, end] = [-1, 0];
          for (const given of deliveries) {
            const all = attempts[given.attempt] as Piece[];
            const size = sizeOfAll(all);
            // As streams are: a reader begins at the beginning, and never misses what is between.
            const known = given.attempt === attempt ? end : 0;
            const from = given.isAll ? 0 : Math.min(given.from, known);
            const to = given.isAll ? size : Math.min(size, from + given.length);
            const event: WrittenPieces = {
              call: "run=a",
              attempt: given.attempt,
              at: from,
              pieces: piecesAfter(cut(all, to), from),
            };
            const news = reader.take(event);
            if (given.attempt < attempt) expect(news).toBeNull();
            if (news === null) continue;
            if (news.attempt > attempt) got = [];
            [attempt, end] = [news.attempt, Math.max(to, known)];
            expect(news.at).toBe(sizeOfAll(got));
            got = merged([...got, ...news.pieces]);
            expect(got).toEqual(merged(cut(all, end)));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("in a journal", () => {
  const { compiled } = { compiled: compileWorkflow(flowOf(async () => null).flow) };
  const stored = (tick: Tick): unknown =>
    decodeTick(wholeTick(JSON.parse(JSON.stringify(shortTick(encodeTick(tick, compiled))))), compiled);
  const ofCall = { atMs: 5, item: 1, attempt: 2, call: "run=a" } as const;
  const long = fc.string({ minLength: 101, maxLength: 300 });

  it("a record has all pieces, and each text of the result once", () => {
    fc.assert(
      fc.property(written, long, long, fc.boolean(), (pieces, one, two, isText) => {
        const value = isText ? one : { text: one, "": two, list: [two] };
        const all = [...pieces, one, { kind: "text", text: one }, two];
        const tick: Tick = { type: "effect.recorded", ...ofCall, value, written: { attempt: 2_000, pieces: all } };
        const json = JSON.stringify(shortTick(encodeTick(tick, compiled)));

        expect(stored(tick)).toEqual(tick);
        expect(json.split(JSON.stringify(one).slice(1, -1))).toHaveLength(2);
      }),
      { numRuns: 200 },
    );
  });

  it("pieces of a call at work are only counted", () => {
    fc.assert(
      fc.property(written, fc.nat(), fc.boolean(), (pieces, at, isOfChild) => {
        const written = { call: "run=a", attempt: 2_000, at, pieces };
        const place = isOfChild ? { item: null, origin: "child", writer: "3/1" } : { item: 1, origin: null };
        const tick = {
          type: "stream.written",
          atMs: 5,
          attempt: 2,
          event: makeEngineEvent(PiecesEvent, written),
          promptId: null,
          call: "run=a",
          ...place,
        } as unknown as Tick;
        const read = stored(isOfChild ? ({ ...tick, origin: null } as Tick) : tick) as { readonly event: PiecesEvent };

        expect(read.event.toJSON()).toEqual({ ...written, pieces: [] });
        expect({ ...read, event: null }).toEqual({ ...tick, origin: null, event: null });
      }),
      { numRuns: 100 },
    );
  });
});
