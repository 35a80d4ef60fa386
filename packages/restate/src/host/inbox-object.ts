/**
 * `millrace.inbox`: one virtual object per run, which numbers its posts. A post is delivered twice: by a signal to the invocation that
 * works on the run, which is fast, and by an activation after that invocation, which is certain. The run handles it once.
 *
 *     last             the position of the last post              k/<key>   the position of the post with that key
 *     p/<position>     a post without a receipt                   notified  the invocation that gets the signals
 *
 * @module
 */
import {
  handlers,
  InvocationIdParser,
  type ObjectContext,
  object,
  type VirtualObjectDefinition,
} from "@restatedev/restate-sdk/fetch";
import type { PostResult, StoredPost } from "millrace/runtime";
import { INBOX, RUN, runKeyOf } from "../names.js";
import { toRun } from "./activate.js";
import {
  type AttachMessage,
  MAX_TEXT_LENGTH,
  type PostMessage,
  signalName,
  type WhoAnswer,
  type WhoMessage,
} from "./messages.js";
import type { ResolvedHostOptions } from "./options.js";

/** The invocation that gets the signals, as far as the inbox knows. */
interface Notified {
  readonly id: string;
  /** Number of signals sent to it. */
  readonly signals: number;
}

export type InboxObject = VirtualObjectDefinition<typeof INBOX, InboxHandlers>;

export interface InboxHandlers {
  post(ctx: ObjectContext, message: PostMessage): Promise<PostResult>;
  attach(ctx: ObjectContext, message: AttachMessage): Promise<readonly StoredPost[]>;
  answered(ctx: ObjectContext, positions: readonly number[]): Promise<void>;
  remove(ctx: ObjectContext): Promise<void>;
}

type HowServed = Pick<ResolvedHostOptions, "session" | "ingressPrivate">;

export function inboxObject({ session, ingressPrivate: hidden }: HowServed): InboxObject {
  const { exclusive } = handlers.object;
  // Restate would send all posts and keys with every call. In slices, see `runObject`.
  const enableLazyState = session.sliceMs === null;
  const inside = { enableLazyState, ingressPrivate: true };
  return object({
    name: INBOX,
    handlers: {
      post: exclusive({ enableLazyState, ingressPrivate: hidden.has("post") }, post),
      attach: exclusive(inside, attach),
      answered: exclusive(inside, answered),
      remove: exclusive(inside, async (ctx: ObjectContext) => ctx.clearAll()),
    },
  }) as unknown as InboxObject;
}

async function post(ctx: ObjectContext, message: PostMessage): Promise<PostResult> {
  const { idempotencyKey, urgent = false } = message;
  const key = idempotencyKey === null ? null : `k/${idempotencyKey}`;
  const known = key === null ? null : await ctx.get<number>(key);
  if (known !== null) return { status: "duplicate", position: known, receipt: null };
  const run = await who(ctx, { idempotencyKey });
  if (run === null) return { status: "unknown" };
  if (run.receipt !== null) return { status: "duplicate", position: 0, receipt: run.receipt };
  if (run.run.outcome !== null && !urgent) return { status: "ended", run: run.run };
  const position = ((await ctx.get<number>("last")) ?? 0) + 1;
  const stored: StoredPost = { ...message, key: runKeyOf(ctx.key), position };
  ctx.set("last", position);
  if (key !== null) ctx.set(key, position);
  ctx.set(postKey(position), stored);
  if (run.active !== null) await notify(ctx, run.active, stored);
  toRun(ctx).activate({ why: "post", position, urgent });
  return { status: "stored", position };
}

/**
 * Called when an invocation begins to work on the run. Returns the first posts without a receipt, as many as fit into one message; the
 * others, and later posts, come as signals.
 */
async function attach(ctx: ObjectContext, { id }: AttachMessage): Promise<readonly StoredPost[]> {
  const positions = (await ctx.stateKeys()).filter((key) => key.startsWith("p/")).map((key) => Number(key.slice(2)));
  const asked = positions.sort((a, b) => a - b).map((position) => ctx.get<StoredPost>(postKey(position)));
  const first: StoredPost[] = [];
  const later: StoredPost[] = [];
  let length = 0;
  for (const pending of asked) {
    const post = (await pending) as StoredPost;
    length += JSON.stringify(post).length;
    (first.length === 0 || length <= MAX_TEXT_LENGTH ? first : later).push(post);
  }
  // A post that came between the row and this call was signalled already: its number is not used again.
  const notified = await notifiedOf(ctx, id);
  for (const [index, post] of later.entries()) signal(ctx, { id, signals: notified.signals + index }, post);
  ctx.set("notified", { id, signals: notified.signals + later.length } satisfies Notified);
  return first;
}

async function notify(ctx: ObjectContext, id: string, post: StoredPost): Promise<void> {
  const notified = await notifiedOf(ctx, id);
  signal(ctx, notified, post);
  ctx.set("notified", { id, signals: notified.signals + 1 } satisfies Notified);
}

async function notifiedOf(ctx: ObjectContext, id: string): Promise<Notified> {
  const last = await ctx.get<Notified>("notified");
  return last?.id === id ? last : { id, signals: 0 };
}

function signal(ctx: ObjectContext, { id, signals }: Notified, post: StoredPost): void {
  ctx.invocation(InvocationIdParser.fromString(id)).signal<StoredPost>(signalName(signals)).resolve(post);
}

async function answered(ctx: ObjectContext, positions: readonly number[]): Promise<void> {
  for (const position of positions) ctx.clear(postKey(position));
}

function postKey(position: number): string {
  return `p/${position}`;
}

function who(ctx: ObjectContext, message: WhoMessage): Promise<WhoAnswer | null> {
  return (
    ctx.objectClient({ name: RUN }, ctx.key) as unknown as { who(message: WhoMessage): Promise<WhoAnswer | null> }
  ).who(message);
}
