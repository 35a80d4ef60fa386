import type { Access } from "./access.js";

/** One attempt of a step. */
export interface Actor {
  readonly name: string;
  readonly step: string;
  /** Whose state it edits, as in `placeOf`. */
  readonly state: string;
  readonly stage: Holding;
  /** Calls that are held. */
  held: number;
  /** Waits, sleeps and children that it awaits. */
  waits: number;
  isOver: boolean;
  /** Parts without which it would not have begun, until its first call is held. */
  gathered: readonly number[] | null;
  /** Types of the events that it has sent, which leave with its report. */
  readonly sent: string[];
}

/** What is held, and what it touches. */
export interface Noticed {
  readonly what: string;
  readonly access: Access;
}

/** What holds the calls of attempts. */
export interface Holding {
  /** How often each call of `ctx.run` was made, by its key. */
  readonly effects: Record<string, number>;
  readonly now: () => number;
  /** @param goOn Called when it is released. */
  hold(actor: Actor, noticed: Noticed, goOn: () => void): void;
  /** The actor begins, or ends, to wait for something from outside of its code. */
  wait(actor: Actor, by: 1 | -1): void;
  /** A child that may share the state of the run that calls it. */
  noteChild(args: readonly unknown[]): void;
  /** The current part begins to wait for an event of this type. */
  noteWait(type: string): void;
  noteSleep(wakesAtMs: number): void;
  noteWoken(wakesAtMs: number): void;
}
