/**
 * One activation of a run: an invocation that has the run in memory until it ends, only waits, or has done its share of rounds.
 *
 * Everything that it asks of Restate follows from journaled rounds and signals alone, so a replay asks for the same. The live run exists
 * inside `ctx.run` only, and is loaded when the journal has no further round: from what the invocation has found and has replayed.
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
  /** `null`: there are none. */
  readonly records: HostRecords | null;
}

export interface Activation {
  readonly kept: KeptRun;
  readonly why: "recover" | "resume" | "retry";
  /** Nothing was posted to the run before. */
  readonly isFirst: boolean;
}

/** What has come first. */
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
  const { ticks: before } = kept.run;
  let session: Session | null = null;
  let rounds = 0;
  ctx.request().attemptCompletedSignal.addEventListener("abort", () => session?.drop(), { once: true });

  /** In a closure of `ctx.run`: the journal has nothing more. */
  const nextPiece = async (): Promise<Piece> => {
    if (session === null) {
      session = new Session(setup.session, (...given) => recordsOf(setup).propose(...given), codeOf(setup, kept));
      // One that was asked to go on has done so with its first round.
      const why = kept.run.ticks > before ? "recover" : how.why;
      const open = (): StoredPost[] => posts.filter((post) => !kept.answered.has(post.position));
      await load(setup, session, { kept, why, posts: open() });
      session.deliver(open()); // those that came meanwhile
      if (isCancelled) session.cancel("cancelled in Restate");
    }
    return session.nextPiece(rounds + 1);
  };

  /** Gives the records that kept the proposal from counting. */
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

/** What waits for the run; the inbox tells this invocation of everything later. */
async function attach(ctx: ObjectContext, id: string): Promise<Attached> {
  try {
    return { posts: await inbox(ctx).attach({ id }), isCancelled: false };
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    return { posts: await inbox(ctx).attach({ id }), isCancelled: true };
  }
}

/** What a closure has assigned, which the compiler does not see. */
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

/** The code that a run begins with is kept with its first round. Where its client has other code, that round says so itself. */
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
  readonly why: Activation["why"];
  readonly posts: readonly StoredPost[];
}

async function load(setup: HostSetup, session: Session, { kept, why, posts }: Loading): Promise<void> {
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
    why,
    onLost: (error) => session.fail(error),
  });
}

/** The run is nobody's. It wakes when its time has come, and with every post. */
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

/** To the same run, after what it is doing. */
export function toRun(ctx: ObjectContext): RunSends {
  return ctx.objectSendClient({ name: RUN }, ctx.key) as unknown as RunSends;
}

function inbox(ctx: ObjectContext): { attach(message: AttachMessage): Promise<readonly StoredPost[]> } {
  return ctx.objectClient({ name: INBOX }, ctx.key) as never;
}

export function toInbox(ctx: ObjectContext): InboxSends {
  return ctx.objectSendClient({ name: INBOX }, ctx.key) as unknown as InboxSends;
}
