/**
 * `call.write`: what a call shows while it works.
 *
 * Readers in this process have each piece at once. The store gets them together, a tick at a time: the first at once, then every 50 ms,
 * and less often the longer the call takes. Once the call is recorded, its record has all of them, and the store forgets the others.
 * A call that fails keeps what was stored: it writes anew in its next attempt. One that is cancelled with its run has stored all that
 * readers were shown.
 *
 * @module
 */

import type { EffectRecorded } from "../../engine/tick.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import { makeEngineEvent, PiecesEvent } from "../../event/built-in-events.js";
import { sameValue } from "../../event/equal.js";
import type { OpenCall } from "../../state/edit-context.js";
import { encodeValue } from "../../value/codec.js";
import { copyValue } from "../../value/copy.js";
import { isRecord } from "../../value/kind.js";
import { assertOption } from "../../value/options.js";
import { type Piece, sizeOf, sizeOfAll, textOf, withText } from "../../value/pieces.js";
import type { AttemptCore, LiveRun } from "../live-run.js";

const LEAST_MS = 50;
const MOST_MS = 200;
/** Flush interval as a share of the time since the call began to write. */
const SHARE = 0.1;
const MOST_SIZE = 2_048;

/** The calls of an attempt that have written. */
const writers = new WeakMap<object, Map<OpenCall, PieceWriter>>();

/** @throws {WorkflowError} `ATTEMPT_ENDED` once the function has settled, `OPTION_INVALID`, `VALUE_UNSERIALIZABLE`. */
export function writePiece(attempt: AttemptCore, open: OpenCall, piece: Piece): void {
  attempt.assertAlive();
  if (!open.open) throw callOver(attempt);
  assertOption(typeof piece === "string" || isRecord(piece), "piece", "a text or an object");
  const types = attempt.run.host.compiled.values;
  if (typeof piece !== "string") encodeValue(piece, "write: piece", types);
  if (sizeOf(piece) === 0) return;
  const ofAttempt = writers.get(attempt) ?? new Map();
  writers.set(attempt, ofAttempt);
  const writer = ofAttempt.get(open) ?? new PieceWriter(attempt, open);
  ofAttempt.set(open, writer);
  open.hasShown = true;
  writer.write(typeof piece === "string" ? piece : (copyValue(piece, types) as Piece));
}

/** Stores what calls of the run and of its children have shown, and shows nothing more: the run is cancelled next. */
export function endWriting(run: LiveRun): void {
  for (const attempt of run.attempts.values()) for (const writer of writers.get(attempt)?.values() ?? []) writer.end();
  for (const child of run.children?.values() ?? []) endWriting(child);
}

/** The written pieces, for the record of the call. Without a store, readers have every piece. */
export function writtenBy(attempt: AttemptCore, open: OpenCall): Pick<EffectRecorded, "written"> | null {
  const writer = writers.get(attempt)?.get(open);
  return writer === undefined || attempt.run.journal === null ? null : { written: writer.all };
}

/** Retracts the pieces of a failed attempt; the next one begins after this. */
export function revoked(attempt: AttemptCore): { readonly attempt: number; readonly pieces: readonly [] } {
  return { attempt: nextNumber(attempt), pieces: [] };
}

/** Grows with each function that begins to write, also over attempts of the step. */
function nextNumber(attempt: AttemptCore): number {
  return attempt.number * 1_000 + attempt.writings++;
}

class PieceWriter {
  readonly #attempt: AttemptCore;
  readonly #open: OpenCall;
  readonly #number: number;
  readonly #pieces: Piece[] = [];
  readonly #beganAtMs: number;
  #pending: Piece[] = [];
  /** Position of what is pending. */
  #storedAt = 0;
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  #isTimed = false;
  #isEnded = false;

  constructor(attempt: AttemptCore, open: OpenCall) {
    this.#attempt = attempt;
    this.#open = open;
    this.#number = nextNumber(attempt);
    this.#beganAtMs = attempt.run.now();
  }

  get all(): { readonly attempt: number; readonly pieces: readonly Piece[] } {
    return { attempt: this.#number, pieces: this.#pieces };
  }

  end(): void {
    this.#storePending();
    this.#isEnded = true;
  }

  write(piece: Piece): void {
    if (this.#isEnded) return;
    const { run, item } = this.#attempt;
    addPiece(this.#pieces, piece);
    addPiece(this.#pending, piece);
    if (run.journal === null) return this.#flush();
    const call = this.#open.call as string;
    run.journal.showing?.(run, { call, writer: String(item.id), attempt: this.#number, pieces: this.#pieces });
    const restMs = this.#flushedAtMs + this.#intervalMs() - run.now();
    if (restMs <= 0 || sizeOfAll(this.#pending) >= MOST_SIZE) this.#flush();
    else if (!this.#isTimed) {
      this.#isTimed = true;
      run.host.ports.clock.setTimer(run.host.ports.clock.now() + restMs, () => this.#wake(), true);
    }
  }

  #intervalMs(): number {
    return Math.min(MOST_MS, Math.max(LEAST_MS, (this.#attempt.run.now() - this.#beganAtMs) * SHARE));
  }

  #wake(): void {
    this.#isTimed = false;
    this.#storePending();
  }

  /** Flushes pending pieces, unless the call or its attempt has ended: then its record has them, or they do not count. */
  #storePending(): void {
    if (this.#open.open && this.#attempt.ended === null && this.#pending.length > 0) this.#flush();
  }

  #flush(): void {
    const { run, item, number } = this.#attempt;
    const [at, pieces, call] = [this.#storedAt, this.#pending, this.#open.call as string];
    this.#pending = [];
    this.#storedAt += sizeOfAll(pieces);
    this.#flushedAtMs = run.now();
    run.submit({
      type: "stream.written",
      atMs: run.now(),
      item: item.id,
      attempt: number,
      event: makeEngineEvent(PiecesEvent, { call, attempt: this.#number, at, pieces }),
      origin: null,
      promptId: null,
      call,
    });
  }
}

function callOver({ step, item, number }: AttemptCore): WorkflowError {
  const { name } = step.definition;
  return new WorkflowError({
    code: "ATTEMPT_ENDED",
    message: `A function of \`ctx.run\` in step "${name}" writes after it has settled: its call is over.`,
    hint: "Await everything that the function starts.",
    details: { step: name, item: item.id, attempt: number },
  });
}

/** Adds it at the end: to the last piece, if both are text of the same kind. */
export function addPiece(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last !== undefined && isMore(last, piece))
    pieces[pieces.length - 1] = withText(last, `${textOf(last)}${textOf(piece)}`);
  else pieces.push(piece);
}

function isMore(last: Piece, piece: Piece): boolean {
  if (typeof last === "string" || typeof piece === "string") return typeof last === typeof piece;
  return textOf(last) !== null && textOf(piece) !== null && sameValue(withText(last, ""), withText(piece, ""));
}
