/**
 * What is wrong with the orders of a run, each with the shortest order that shows it.
 *
 * @module
 */
import { describeDifference } from "../proof/describe-value.js";
import { overlaps, pathOf } from "./access.js";
import type { Happened, Played } from "./play.types.js";

export interface Finding {
  /**
   * `"stuck"`: the run waits for ever, or does not end. `"lostUpdate"`: an attempt has read a place of the state, another has written it, and the first has overwritten that. `"untaken"`: an
   * event from outside was refused, or nobody has taken it. `"order"`: the run ends otherwise than in the first order that ends. `"crash"`: it ends
   * otherwise after a crash.
   */
  readonly kind: "stuck" | "lostUpdate" | "untaken" | "order" | "crash";
  /** One sentence, with the names of steps and places; for `"order"` and `"crash"` with the difference. */
  readonly message: string;
  /** Plays it again: `exploreRuns(workflow, input, { schedule })`. `null` for a crash, whose message says how. */
  readonly schedule: string | null;
  /** The parts of that order: `"add 3.1: set count"`. */
  readonly parts: readonly string[];
}

/** Parts of an order that are listed: a run that does not end has thousands. */
const MAX_PARTS = 200;

/** Collects findings; of two that are the same, the one with the shorter order. */
export class Findings {
  readonly #found: Map<string, { readonly finding: Finding; readonly cost: number }> = new Map();
  #first: string | null = null;

  get all(): Finding[] {
    return [...this.#found.values()].map(({ finding }) => finding);
  }

  get isStuck(): boolean {
    return this.all.some(({ kind }) => kind === "stuck");
  }

  /** `null` if there is none. */
  get shortest(): Finding | null {
    const [first] = [...this.#found.values()].sort((a, b) => a.cost - b.cost);
    return first?.finding ?? null;
  }

  /** Adds a line to the message of a finding. */
  say(about: Finding, line: string): void {
    for (const [key, { finding, cost }] of this.#found)
      if (finding === about)
        this.#found.set(key, { finding: { ...finding, message: `${finding.message}\n${line}` }, cost });
  }

  take(played: Played): void {
    this.#noteState(played);
    if (played.ending === null)
      return this.#add({ key: played.text, kind: "stuck", message: () => played.text }, played);
    this.#first ??= played.text;
    if (played.text === this.#first) return;
    const first = this.#first;
    const difference = (): string => describeDifference(first, played.text);
    const message = (): string => `The run ends otherwise in another order:\n${difference()}`;
    this.#add({ key: played.text, kind: "order", message }, played); // a long text: another one would be read through again
  }

  #noteState(played: Played): void {
    for (const { place, steps } of lostUpdatesIn(played.happened)) {
      const [writer, loser] = steps;
      const where = pathOf(place) === "" ? "the state" : `"${pathOf(place)}"`;
      const message = (): string =>
        `"${writer}" overwrites ${where}, which "${loser}" has written since "${writer}" has read it.`;
      this.#add({ key: `lost ${place} ${steps.join()}`, kind: "lostUpdate", message }, played);
    }
    for (const { event, code } of played.untaken)
      this.#add(
        {
          key: `untaken ${event} ${code}`,
          kind: "untaken",
          message: () => `${event} comes, and nobody takes it (${code}).`,
        },
        played,
      );
  }

  crash(message: string): void {
    this.#found.set("crash", { finding: { kind: "crash", message, schedule: null, parts: [] }, cost: 0 });
  }

  #add({ key, kind, message }: Found, { happened }: Played): void {
    const cost = costOf(happened);
    const known = this.#found.get(key);
    if (known !== undefined && known.cost <= cost) return;
    const parts = happened.slice(0, MAX_PARTS).map(({ label }) => label);
    if (happened.length > MAX_PARTS) parts.push(`… ${happened.length - MAX_PARTS} more`);
    this.#found.set(key, { finding: { kind, message: message(), schedule: scheduleOf(happened), parts }, cost });
  }
}

interface Found extends Pick<Finding, "kind"> {
  /** Equal for findings that are the same. */
  readonly key: string;
  readonly message: () => string;
}

/** Decisions that leave the order of the engine count first, then the length. */
function costOf(happened: readonly Happened[]): number {
  let switches = 0;
  for (const { index } of happened) if (index > 0) switches++;
  return switches * 100_000 + happened.length;
}

/** The choices, as in `"0.0.1"`; zeros at the end are left out. */
function scheduleOf(happened: readonly Happened[]): string {
  const choices = happened.map(({ index }) => index);
  return choices.slice(0, choices.findLastIndex((index) => index > 0) + 1).join(".");
}

interface LostUpdate {
  readonly place: string;
  /** Who has overwritten, and whose value is lost. */
  readonly steps: readonly [string, string];
}

/** A read, a write of somebody else, and a write of the reader, who has not read again. */
function lostUpdatesIn(happened: readonly Happened[]): LostUpdate[] {
  const lost: LostUpdate[] = [];
  for (let at = 0; at < happened.length; at++) {
    const part = happened[at] as Happened;
    if (!isAssignment(part)) continue;
    for (const place of part.access.writes) {
      const other = writtenSinceRead(happened, at, place);
      if (other !== null) lost.push({ place, steps: [stepOf(part.who), stepOf(other.who)] });
    }
  }
  return lost;
}

/** The first that has written this place since the attempt of this part has read it; `null` if none has, or it has not. */
function writtenSinceRead(happened: readonly Happened[], at: number, place: string): Happened | null {
  const { who, actor } = happened[at] as Happened;
  let first: Happened | null = null;
  for (let earlier = at - 1; earlier >= 0; earlier--) {
    const part = happened[earlier] as Happened;
    if (part.actor === actor && reads(part, place)) return first;
    if (part.who !== who && writes(part, place)) first = part;
  }
  return null;
}

/** `set`, `setState` or `clear`: an edit reads what it changes. */
function isAssignment({ access }: Happened): boolean {
  return access.writes.some((place) => place.startsWith("state")) && access.reads.length === 0 && access.isEnd !== true;
}

function reads({ access }: Happened, place: string): boolean {
  return access.reads.some((one) => overlaps(one, place));
}

function writes({ access }: Happened, place: string): boolean {
  return access.writes.some((one) => overlaps(one, place));
}

function stepOf(who: string): string {
  return who.split(" ")[0] as string;
}
