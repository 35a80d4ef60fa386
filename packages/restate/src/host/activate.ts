/**
 * One activation of a run: an invocation that keeps the run in memory until the run ends, only waits, or has used its share of rounds.
 *
 * All its requests to Restate follow from journaled rounds and signals, so a replay makes the same ones. The live run exists only inside
 * `ctx.run`. It is loaded once the journal has no further round, from the stored state and the replayed rounds.
 *
 * @module
 */
import {
  CancelledError,
  type ObjectContext,
  RestatePromise as Promises,
  type RestatePromise,
  rpc,
} from "@restatedev/restate-sdk/fetch";
import type { Activations } from "millrace/engine";
import type { RecordKey, StoredPost } from "millrace/runtime";
import { recordsUnsupported } from "../errors.js";
import type { Change, KeptCommit, KeptRun } from "../kept/kept-run.js";
import { INBOX, RUN } from "../names.js";
import { type Activate, type AttachMessage, signalName } from "./messages.js";
import type { HostRecords, Proposal } from "./records.js";
import { type Piece, type Round, Session, type SessionSettings } from "./session.js";

export interface HostSetup {
  readonly activations: Activations;
  readonly session: SessionSettings;
  /** `null` without the option `records`. */
  readonly records: HostRecords | null;
}

export interface Activation {
  readonly kept: KeptRun;
  /** Whether nothing was posted to the run before. */
  readonly isFirst: boolean;
}

/** The first of a round, a signal and a timer. */
type Came =
  | { readonly kind: "piece"; readonly piece: Piece }
  | { readonly kind: "post"; readonly post: StoredPost }
  | { readonly kind: "cancel" };

export async function activate(ctx: ObjectContext, setup: HostSetup, { kept, ...how }: Activation): Promise<void> {
  const { id } = ctx.request();
  write(ctx, [kept.setActive(id)]);
  const attached = how.isFirst ? nothing : await attach(ctx, id);
  const posts = [...attached.posts];
  let { isCancelled } = attached;
  let session: Session | null = null;
  let rounds = 0;
  ctx.request().attemptCompletedSignal.addEventListener("abort", () => session?.drop(), { once: true });

  /** Called within `ctx.run`, once the journal has no further round. */
  const nextPiece = async (): Promise<Piece> => {
    if (session === null) {
      session = new Session(setup.session, (...given) => recordsOf(setup).propose(...given), codeOf(setup, kept));
      const open = (): StoredPost[] => posts.filter((post) => !kept.answered.has(post.position));
      await load(setup, session, { kept, posts: open() });
      session.deliver(open()); // posts that came meanwhile
      if (isCancelled) session.cancel("cancelled in Restate");
    }
    return session.nextPiece(rounds + 1);
  };

  /** Returns the records in conflict; none if the proposal was accepted. */
  const decide = async (proposal: Proposal): Promise<readonly RecordKey[]> => {
    const decided = ctx.run("records", () => recordsOf(setup).decide(kept.run.key, proposal));
    for (;;) {
      try {
        return await Promises.race([decided]);
      } catch (error) {
        if (!(error instanceof CancelledError)) throw error;
        isCancelled = true;
        live(session)?.cancel("cancelled in Restate");
      }
    }
  };

  let pieces: string[] = [];
  let round: RestatePromise<Came> | null = null;
  let news: RestatePromise<Came> | null = null;
  for (let signals = 0; ; ) {
    round ??= ctx.run("round", nextPiece).map((value, failure) => {
      if (value === undefined) throw failure;
      return { kind: "piece", piece: value };
    });
    news ??= ctx.signal<StoredPost>(signalName(signals)).map((value, failure) => {
      if (value === undefined) throw failure;
      return { kind: "post", post: value };
    });
    const came = await first(round, news);
    if (came.kind === "cancel") {
      isCancelled = true;
      live(session)?.cancel("cancelled in Restate");
    } else if (came.kind === "post") {
      news = null;
      signals++;
      posts.push(came.post);
      live(session)?.deliver([came.post]);
    } else {
      round = null;
      const { index, left, text } = came.piece;
      pieces = index === 0 ? [text] : [...pieces, text];
      if (left > 0) continue;
      rounds++;
      const { commits, proposal, isOver, isFull } = JSON.parse(pieces.join("")) as Round;
      for (const commit of commits) write(ctx, kept.apply(commit));
      const conflicts = proposal === null ? [] : await decide(proposal);
      if (proposal !== null && conflicts.length === 0) write(ctx, kept.apply(proposal.commit));
      if (isOver && conflicts.length === 0) return close(ctx, kept);
      if (isFull) {
        live(session)?.drop();
        close(ctx, kept);
        return toRun(ctx).activate({ why: "rollover" });
      }
      live(session)?.kept(conflicts);
    }
  }
}

interface Attached {
  readonly posts: readonly StoredPost[];
  readonly isCancelled: boolean;
}

const nothing: Attached = { posts: [], isCancelled: false };

/** Reads the pending posts; the inbox signals later ones to this invocation. */
async function attach(ctx: ObjectContext, id: string): Promise<Attached> {
  try {
    return { posts: await inbox(ctx).attach({ id }), isCancelled: false };
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    return { posts: await inbox(ctx).attach({ id }), isCancelled: true };
  }
}

/** Hides from the compiler that only a closure assigns the session. */
function live(session: Session | null): Session | null {
  return session;
}

async function first(...promises: readonly RestatePromise<Came>[]): Promise<Came> {
  try {
    return await Promises.race(promises);
  } catch (error) {
    if (error instanceof CancelledError) return { kind: "cancel" };
    throw error;
  }
}

/** The definition that a run begins with is stored with its first round. If the client has another definition, that round says so. */
function codeOf({ activations }: HostSetup, { run }: KeptRun): KeptCommit[] {
  const code = activations.codeOf(run.workflow);
  return run.ticks === 0 && run.code === code.hash ? [{ blobs: [code] }] : [];
}

/** @throws {WorkflowError} `RESTATE_UNSUPPORTED` */
function recordsOf({ records }: HostSetup): HostRecords {
  if (records === null) throw recordsUnsupported();
  return records;
}

interface Loading {
  readonly kept: KeptRun;
  readonly posts: readonly StoredPost[];
}

async function load(setup: HostSetup, session: Session, { kept, posts }: Loading): Promise<void> {
  session.run = await setup.activations.open({
    store: {
      snapshot: (key, atOrBelow) => kept.snapshot(key, atOrBelow),
      ticks: (key, range) => kept.ticks(key, range),
      blob: (hash) => kept.blob(hash),
      record: async (key) => recordsOf(setup).store.record(key),
      commit: (commit, nature) => session.commit(commit, nature),
    },
    run: kept.run,
    posts,
    onLost: (error) => session.fail(error),
  });
}

/** Releases the run. Its timer and every post wake it. */
function close(ctx: ObjectContext, kept: KeptRun): void {
  write(ctx, [kept.setActive(null)]);
  if (kept.answered.size > 0) toInbox(ctx).answered([...kept.answered]);
  const { status, wakeAtMs, updatedAtMs } = kept.run;
  if (status === "waiting" && wakeAtMs !== null) wake(ctx, wakeAtMs, updatedAtMs);
}

export function wake(ctx: ObjectContext, atMs: number, nowMs: number): void {
  toRun(ctx).activate({ why: "wake", atMs }, rpc.sendOpts({ delay: Math.max(0, atMs - nowMs) }));
}

export function write(ctx: ObjectContext, changes: readonly Change[]): void {
  for (const { key, value } of changes) {
    if (value === undefined) ctx.clear(key);
    else ctx.set(key, value);
  }
}

interface RunSends {
  activate(message: Activate, options?: ReturnType<typeof rpc.sendOpts>): void;
}

interface InboxSends {
  answered(positions: readonly number[]): void;
  remove(message: null): void;
}

/** Sends to the same run, handled after the present invocation. */
export function toRun(ctx: ObjectContext): RunSends {
  return ctx.objectSendClient({ name: RUN }, ctx.key) as unknown as RunSends;
}

function inbox(ctx: ObjectContext): { attach(message: AttachMessage): Promise<readonly StoredPost[]> } {
  return ctx.objectClient({ name: INBOX }, ctx.key) as never;
}

export function toInbox(ctx: ObjectContext): InboxSends {
  return ctx.objectSendClient({ name: INBOX }, ctx.key) as unknown as InboxSends;
}
