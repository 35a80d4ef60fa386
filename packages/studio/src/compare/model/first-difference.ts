/** The first thing in which two runs differ, in one sentence: words, and values in between. */
import type { HistoryEntry } from "@millrace/client";
import { messageOf } from "../../model/line.js";
import { short } from "../../ui/format.js";
import type { ComparedRun, TickPair } from "./match-ticks.js";

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
  const names = differingFields(before, after);
  if (names.length === 0) return null;
  const values = (state: unknown): Piece[] =>
    listed(names.map((name) => `${name} = ${shortText(fieldOf(state, name))}`));
  return ["The fork was given ", ...values(after), ` at tick ${at}; ${runId} had `, ...values(before), "."];
}

function inputPieces(a: ComparedRun, b: ComparedRun): readonly Piece[] | null {
  const [ofA, ofB] = [inputOf(a), inputOf(b)];
  if (ofA === null || ofB === null) return null;
  const names = differingFields(ofA, ofB);
  if (names.length === 0) return null;
  const pieces: Piece[] = ["The input: "];
  for (const [index, name] of names.slice(0, 3).entries()) {
    if (index > 0) pieces.push(", ");
    pieces.push({ code: name }, " is ", { code: shortText(fieldOf(ofA, name)) }, " in A and ");
    pieces.push({ code: shortText(fieldOf(ofB, name)) }, " in B");
  }
  return [...pieces, names.length > 3 ? `, and ${names.length - 3} more.` : "."];
}

function tickPieces({ a, b }: TickPair): readonly Piece[] {
  if (a === null) return [`Only B has tick ${b?.entry.number}: ${b?.line.text}.`];
  if (b === null) return [`Only A has tick ${a.entry.number}: ${a.line.text}.`];
  const at = `, at tick ${a.entry.number} and ${b.entry.number}.`;
  if (a.line.text !== b.line.text) return [`${a.line.text} against ${b.line.text}${at}`];
  const [ofA, ofB] = [contentOf(a.entry), contentOf(b.entry)];
  return [`${a.line.text} with `, { code: shortText(ofA) }, " in A and ", { code: shortText(ofB) }, ` in B${at}`];
}

function contentOf({ tick, changes }: HistoryEntry): unknown {
  const message = messageOf(tick["error"]);
  const event = (tick["output"] ?? tick["event"] ?? tick["prompt"]) as
    | { type?: string; data?: unknown }
    | null
    | undefined;
  if (message !== null) return message;
  if (event?.data !== undefined) return event.data;
  return changes?.length
    ? Object.fromEntries(changes.map(({ path, new: value }) => [path.join("."), value]))
    : tick["value"];
}

function inputOf({ entries, runId }: ComparedRun): unknown {
  const start = entries.find((entry) => entry.tick.type === "run.started" && entry.runId === runId);
  return (start?.tick["event"] as { data?: unknown } | undefined)?.data ?? null;
}

/** Names of the top-level fields that are not equal. */
export function differingFields(one: unknown, other: unknown): readonly string[] {
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  return [...names].filter((name) => !isSame(fieldOf(one, name), fieldOf(other, name)));
}

export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(fieldOf(one, name), fieldOf(other, name)))
  );
}

function fieldOf(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[name];
}

function listed(values: readonly string[]): Piece[] {
  return values.flatMap((code, index) => (index === 0 ? [{ code }] : [", ", { code }]));
}

const shortText = (value: unknown): string => (value === undefined ? "nothing" : short(value, 60));
