/**
 * A live run inside one attempt of an invocation: gathers its commits into rounds, and notifies it when a round is stored.
 *
 *     run ──commit──► gathered ──(a commit that must be stored before anything else happens)──► round ──► journal ──► stored
 *
 * Ticks that only follow from stored ones wait a moment for the next round: a step that ends by then saves a round trip.
 *
 * @module
 */
import type { ActivatedRun, RoundNature } from "millrace/engine";
import type { CommitResult, RecordKey, RunCommit, StoredPost } from "millrace/runtime";
import type { KeptCommit } from "../kept/kept-run.js";
import { mergeCommits } from "../kept/merge-commits.js";
import type { HostRecords, Proposal } from "./records.js";

/** Result of one `ctx.run`. */
export interface Round {
  readonly commits: readonly KeptCommit[];
  /** Whether the run has left memory with it. */
  readonly isOver: boolean;
  /** Whether the activation has used its share of rounds. Journaled, because a deployment may change the share. */
  readonly isFull: boolean;
  /** Its last commit, if that writes records. */
  readonly proposal: Proposal | null;
}

/** A round, before it is known whether it is the last. */
interface Gathered {
  readonly commits: readonly KeptCommit[];
  readonly proposal?: Proposal;
  /** Whether no step that began before it is active. */
  readonly isCalm: boolean;
  readonly isOver: boolean;
}

/** A part of the text of a {@link Round}. A part with `index` 0 replaces earlier ones, which came from an attempt that has ended. */
export interface Piece {
  readonly index: number;
  readonly left: number;
  readonly text: string;
}

/** Characters of a part. Quotes and characters outside of ASCII take more bytes in the message, whose limit is 32 MiB. */
const PIECE_LENGTH = 4 * 1024 * 1024;

export interface SessionSettings {
  /** How long a step has to be active before the ticks before it are stored for readers. */
  readonly followMs: number;
  /** Shortest length of a slice; `null` to journal every round by itself. */
  readonly sliceMs: number | null;
  /** Share of rounds of one activation. */
  readonly rounds: number;
}

/** Most rounds of an activation, as a multiple of its share, while steps are always active. */
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
  /** Commits of the round that is being journaled. */
  #unkept: Pending[] = [];
  #wake: () => void = () => {};
  #pieces: Piece[] = [];
  /** Commits that are stored with the first round. */
  readonly #before: KeptCommit[] = [];
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(settings: SessionSettings, propose: HostRecords["propose"], before: readonly KeptCommit[]) {
    this.#settings = settings;
    this.#propose = propose;
    this.#before.push(...before);
  }

  /** `null` if there was nothing to do. */
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

  /** Reports that the run cannot continue here: the next round fails with `error`. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /**
   * The next part of the next round, small enough for Restate.
   *
   * @param number Number of the round in its activation, from 1.
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

  /** Gathers the commits since the last round. Resolves once one of them has to be stored. */
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

  /** A slice ends only after a step has ended, so every slice makes progress, however often it starts over. */
  #mayGoOn(hasWorked: boolean, beganAtMs: number): boolean {
    const { sliceMs } = this.#settings;
    return sliceMs !== null && !(hasWorked && Date.now() - beganAtMs >= sliceMs);
  }

  /** The next commit; `null` if none came for a while and the gathered ones should be stored. */
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

  /** Confirms that the last round is stored, or reports the records that others have changed before it. */
  kept(conflicts: readonly RecordKey[]): void {
    const result: CommitResult = conflicts.length === 0 ? stored : { status: "conflict", records: conflicts };
    for (const { resolve } of this.#unkept.splice(0)) resolve(result);
  }

  /** Drops the run: another attempt has it. */
  drop(): void {
    this.#isOver = true;
    for (const { resolve } of [...this.#unkept.splice(0), ...this.#pending.splice(0)]) resolve(fenced);
    this.#run?.drop();
    this.#wake();
  }
}
