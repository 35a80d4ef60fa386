/**
 * A live run inside one attempt of an invocation: gathers what it commits into rounds, and tells it when a round is kept.
 *
 *     run ──commit──► gathered ──(something that has to be kept before anything else happens)──► round ──► journal ──► kept
 *
 * What only follows from kept facts waits a moment for the next round: a step that is done by then saves a round trip.
 *
 * @module
 */
import type { ActivatedRun, RoundNature } from "millrace/engine";
import type { CommitResult, RecordKey, RunCommit, StoredPost } from "millrace/runtime";
import type { KeptCommit } from "../kept/kept-run.js";
import { mergeCommits } from "../kept/merge-commits.js";
import type { HostRecords, Proposal } from "./records.js";

/** What one `ctx.run` gives. */
export interface Round {
  readonly commits: readonly KeptCommit[];
  /** The run has left memory with it. */
  readonly isOver: boolean;
  /** The activation has done its share. Decided where it is journaled: after a deployment the share may be another one. */
  readonly isFull: boolean;
  /** The last of its commits, where that writes records. */
  readonly proposal: Proposal | null;
}

/** A round before it is known whether it is the last one. */
interface Gathered {
  readonly commits: readonly KeptCommit[];
  readonly proposal?: Proposal;
  /** No step is at work that began before it. */
  readonly isCalm: boolean;
  readonly isOver: boolean;
}

/** A part of the text of a {@link Round}. One with `index` 0 makes those before it void: they were of an attempt that is over. */
export interface Piece {
  readonly index: number;
  readonly left: number;
  readonly text: string;
}

/** Quotes and letters outside of ASCII take more room in the message, of which Restate takes 32 MiB. */
const PIECE_LENGTH = 4 * 1024 * 1024;

export interface SessionSettings {
  /** How long a step has to be at work before readers are shown what came before it. */
  readonly followMs: number;
  /** `null`: every round is journaled by itself. Else how long a slice of work is at least, in which nothing is. */
  readonly sliceMs: number | null;
  /** Rounds of one activation. */
  readonly rounds: number;
}

/** How many times its share of rounds an activation takes where steps are always at work. */
const HARD_LIMIT = 5;

interface Pending {
  readonly commit: RunCommit;
  readonly nature: RoundNature;
  readonly resolve: (result: CommitResult) => void;
}

const stored: CommitResult = { status: "stored" };
const fenced: CommitResult = { status: "fenced" };

export class Session {
  readonly #settings: SessionSettings;
  readonly #propose: HostRecords["propose"];
  #run: ActivatedRun | null = null;
  #pending: Pending[] = [];
  /** In the round that is being journaled. */
  #unkept: Pending[] = [];
  #wake: () => void = () => {};
  #pieces: Piece[] = [];
  /** To be kept with the first round. */
  readonly #before: KeptCommit[] = [];
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(settings: SessionSettings, propose: HostRecords["propose"], before: readonly KeptCommit[]) {
    this.#settings = settings;
    this.#propose = propose;
    this.#before.push(...before);
  }

  /** `null`: there was nothing to do. */
  set run(run: ActivatedRun | null) {
    this.#run = run;
    if (run === null) this.#isOver = true;
    if (this.#isOver) run?.drop();
  }

  commit(commit: RunCommit, nature: RoundNature): Promise<CommitResult> {
    if (this.#isOver) return Promise.resolve(fenced);
    return new Promise((resolve) => {
      this.#pending.push({ commit, nature, resolve });
      this.#wake();
    });
  }

  deliver(posts: readonly StoredPost[]): void {
    this.#run?.deliver(posts);
  }

  cancel(reason: unknown): void {
    this.#run?.cancel(reason);
  }

  /** The run could not go on here: the next round fails with this. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /**
   * The next round as texts that Restate takes, one at a time.
   *
   * @param number Of the round in its activation, from 1.
   */
  async nextPiece(number: number): Promise<Piece> {
    if (this.#pieces.length === 0) {
      const { commits, proposal = null, isOver, isCalm } = await this.#gather();
      const { rounds } = this.#settings;
      const isFull = (number >= rounds && isCalm) || number >= HARD_LIMIT * rounds;
      const text = JSON.stringify({
        commits: mergeCommits([...this.#before.splice(0), ...commits]),
        isOver,
        isFull,
        proposal,
      } satisfies Round);
      const count = Math.ceil(text.length / PIECE_LENGTH);
      for (let index = 0; index < count; index++) {
        const part = text.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH);
        this.#pieces.push({ index, left: count - index - 1, text: part });
      }
    }
    return this.#pieces.shift() as Piece;
  }

  /** What the run has done since the round before. Resolves once something of it has to be kept. */
  async #gather(): Promise<Gathered> {
    const commits: KeptCommit[] = [];
    const beganAtMs = Date.now();
    let hasWorked = false;
    for (;;) {
      if (this.#isOver) return { commits, isCalm: true, isOver: true };
      const pending = await this.#next(commits.length > 0);
      if (pending === null) return { commits, isCalm: false, isOver: false };
      const { commit, nature } = pending;
      const { key, owner: _owner, epoch: _epoch, create: _create, records, ...kept } = commit;
      if (records !== undefined) {
        this.#unkept.push(pending);
        const proposal = await this.#propose(key, kept, records);
        return { commits, proposal, isCalm: nature.isCalm, isOver: commit.release === true };
      }
      commits.push(kept);
      if (commit.release === true) {
        this.#unkept.push(pending);
        return { commits, isCalm: true, isOver: true };
      }
      const isFollowing = commit.ticks === undefined || nature.follows || nature.ends;
      hasWorked ||= !isFollowing;
      if (isFollowing || this.#mayGoOn(hasWorked, beganAtMs)) {
        pending.resolve(stored);
        continue;
      }
      this.#unkept.push(pending);
      return { commits, isCalm: nature.isCalm, isOver: false };
    }
  }

  /** A slice ends only after a step has: so every one brings the run further, however often it starts over. */
  #mayGoOn(hasWorked: boolean, beganAtMs: number): boolean {
    const { sliceMs } = this.#settings;
    return sliceMs !== null && !(hasWorked && Date.now() - beganAtMs >= sliceMs);
  }

  /** `null`: nothing came for a while, and what was gathered is to be kept. */
  async #next(mayGiveUp: boolean): Promise<Pending | null> {
    const { followMs, sliceMs } = this.#settings;
    const untilMs = mayGiveUp && sliceMs === null ? Date.now() + followMs : Number.POSITIVE_INFINITY;
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error;
      const pending = this.#pending.shift();
      if (pending !== undefined) return pending;
      const leftMs = untilMs - Date.now();
      if (leftMs <= 0) return null;
      await new Promise<void>((resolve) => {
        const timer = leftMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The last round is kept: what follows from it may happen. Unless others have changed the records that it was to write. */
  kept(conflicts: readonly RecordKey[]): void {
    const result: CommitResult = conflicts.length === 0 ? stored : { status: "conflict", records: conflicts };
    for (const { resolve } of this.#unkept.splice(0)) resolve(result);
  }

  /** The run is not this attempt's any more. */
  drop(): void {
    this.#isOver = true;
    for (const { resolve } of [...this.#unkept.splice(0), ...this.#pending.splice(0)]) resolve(fenced);
    this.#run?.drop();
    this.#wake();
  }
}
