import type { Ending } from "../proof/ending.js";
import type { Access } from "./access.js";

/** What may happen next. */
export interface Possible {
  /** Who does it, equal for equal orders before it: an attempt of a step, `outside`, an answer, or `time`. */
  readonly who: string;
  /** The attempt that it is a part of; else as `who`. An attempt may make several calls at the same time. */
  readonly actor: string;
  /** Numbers of the parts that have made it possible; none from the beginning. */
  readonly since: readonly number[];
  /** For readers: `"add 3.1: set count"`. */
  readonly label: string;
  /** As far as it is known before it happens. */
  readonly access: Access;
}

/** A part of an order: everything from one decision to the next. */
export interface Happened extends Possible {
  /** What could have happened instead, itself included, in their order. */
  readonly possible: readonly Possible[];
  /** Its place among them. */
  readonly index: number;
}

/** An event from outside that nobody has taken. */
export interface Untaken {
  readonly event: string;
  readonly code: string;
}

/** One order from the beginning to the end. */
export interface Played {
  readonly happened: readonly Happened[];
  /** What could still have happened at the end of the run. */
  readonly left: readonly Possible[];
  /** `null`: it was given up, because all that could follow was equal to what is known. */
  readonly ending: Ending | null;
  /** The ending as a text, equal for equal endings. */
  readonly text: string;
  readonly untaken: readonly Untaken[];
}

/** Chooses by index; `null` gives the order up. `last`: who has done the part before, and what it touched. */
export type Choose = (possible: readonly Possible[], depth: number, last: Happened | null) => number | null;
