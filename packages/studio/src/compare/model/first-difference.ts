/** The first thing in which two runs differ, in one sentence: words, and values in between. */
import { messageOf } from "../../model/log-entry-text.js";
import { contentOfTick, outputOf, startOf } from "../../model/run-data.js";
import { short } from "../../ui/format.js";
import { type Difference, differencesOf } from "./differences.js";
import { type ComparedRun, type ComparedTick, comparable, type TickPair } from "./match-ticks.js";

/** Text, or a value that is shown as code. */
export type Piece = string | { readonly code: string };

export interface FirstDifference {
  readonly pieces: readonly Piece[];
  /** Place in the pairs, to go to; `null` where it is not a tick. */
  readonly row: number | null;
}

export interface DifferenceFacts {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly pairs: readonly TickPair[];
  /** Set where `b` is a fork of `a`: the tick, and the states on both sides of it. */
  readonly fork: { readonly at: number; readonly before: unknown; readonly after: unknown } | null;
}

/** `null` for runs that are equal. */
export function firstDifference({ a, b, pairs, fork }: DifferenceFacts): FirstDifference | null {
  const row = pairs.findIndex(({ isEqual }) => !isEqual);
  const place = row === -1 ? null : row;
  const ofFork = fork === null ? null : forkPieces(fork, a.runId);
  if (ofFork !== null) return { pieces: ofFork, row: place };
  const ofInput = fork === null ? inputPieces(a, b) : null;
  if (ofInput !== null) return { pieces: ofInput, row: place };
  const pair = pairs[row];
  return pair === undefined ? null : { pieces: tickPieces(pair), row };
}

function forkPieces(
  { at, before, after }: NonNullable<DifferenceFacts["fork"]>,
  runId: string,
): readonly Piece[] | null {
  const found = differencesOf(before, after);
  if (found.length === 0) return null;
  const values = (side: "a" | "b"): Piece[] =>
    listed(found.slice(0, MOST).map((one) => `${one.path} = ${shortText(one[side])}`));
  return ["The fork was given ", ...values("b"), ` at tick ${at}; ${runId} had `, ...values("a"), "."];
}

function inputPieces(a: ComparedRun, b: ComparedRun): readonly Piece[] | null {
  const [ofA, ofB] = [inputOf(a), inputOf(b)];
  if (ofA === null || ofB === null) return null;
  const found = differencesOf(ofA, ofB);
  return found.length === 0 ? null : ["The input: ", ...valuePieces(found), "."];
}

/** Differences that a sentence names. */
const MOST = 3;

/** `order.items.2.sku is "A" in A and "B" in B`, for each of the first. */
function valuePieces(found: readonly Difference[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const [index, { path, a, b }] of found.slice(0, MOST).entries()) {
    if (index > 0) pieces.push(", ");
    if (path !== "") pieces.push({ code: path }, " is ");
    pieces.push({ code: shortText(a) }, " in A and ", { code: shortText(b) }, " in B");
  }
  return found.length > MOST ? [...pieces, `, and ${found.length - MOST} more`] : pieces;
}

function tickPieces({ a, b }: TickPair): readonly Piece[] {
  if (a === null) return [`Only B has tick ${b?.entry.number}: ${b?.line.text}.`];
  if (b === null) return [`Only A has tick ${a.entry.number}: ${a.line.text}.`];
  const at = `, at tick ${a.entry.number} and ${b.entry.number}.`;
  if (a.line.text !== b.line.text) return [`${a.line.text} against ${b.line.text}${at}`];
  return [`${a.line.text}: `, ...valuePieces(differencesOf(contentOf(a), contentOf(b))), at];
}

function contentOf({ entry, line }: ComparedTick): unknown {
  const { tick } = entry;
  const message = messageOf(tick["error"]);
  if (message !== null) return message;
  const data = outputOf(tick) ?? contentOfTick(entry);
  if (data !== null) return comparable(data.value);
  return Object.fromEntries(line.changes.map(({ path, new: value }) => [path.join("."), value]));
}

function inputOf({ entries, runId }: ComparedRun): unknown {
  const start = entries.find((entry) => entry.tick.type === "run.started" && entry.runId === runId);
  return start === undefined ? null : (startOf(start)?.value ?? null);
}

export function isSame(one: unknown, other: unknown): boolean {
  return differencesOf(one, other, 1).length === 0;
}

function listed(values: readonly string[]): Piece[] {
  return values.flatMap((code, index) => (index === 0 ? [{ code }] : [", ", { code }]));
}

const shortText = (value: unknown): string => (value === undefined ? "nothing" : short(value, 60));
