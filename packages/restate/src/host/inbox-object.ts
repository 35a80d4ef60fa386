/**
 * `millrace.inbox`: one virtual object for each run, which numbers its posts. A post is told twice: with a signal to the invocation that is
 * at work on the run, which is quick; and with an activation that comes after that invocation, which is certain. The run takes it once.
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
import { type AttachMessage, type PostMessage, signalName, type WhoAnswer, type WhoMessage } from "./messages.js";

/** The invocation that is told of posts, as far as the inbox knows. */
interface Told {
  readonly id: string;
  /** How many signals it was sent. */
  readonly signals: number;
}

export type InboxObject = VirtualObjectDefinition<typeof INBOX, InboxHandlers>;

export interface InboxHandlers {
  post(ctx: ObjectContext, message: PostMessage): Promise<PostResult>;
  attach(ctx: ObjectContext, message: AttachMessage): Promise<readonly StoredPost[]>;
  answered(ctx: ObjectContext, positions: readonly number[]): Promise<void>;
  remove(ctx: ObjectContext): Promise<void>;
}

export function inboxObject(): InboxObject {
  const { exclusive } = handlers.object;
  return object({
    name: INBOX,
    handlers: {
      post,
      attach: exclusive({ ingressPrivate: true }, attach),
      answered: exclusive({ ingressPrivate: true }, answered),
      remove: exclusive({ ingressPrivate: true }, async (ctx: ObjectContext) => ctx.clearAll()),
    },
  }) as unknown as InboxObject;
}

async function post(ctx: ObjectContext, message: PostMessage): Promise<PostResult> {
  const { idempotencyKey } = message;
  const key = idempotencyKey === null ? null : `k/${idempotencyKey}`;
  const known = key === null ? null : await ctx.get<number>(key);
  if (known !== null) return { status: "duplicate", position: known, receipt: null };
  const run = await who(ctx, { idempotencyKey });
  if (run === null) return { status: "unknown" };
  if (run.receipt !== null) return { status: "duplicate", position: 0, receipt: run.receipt };
  if (run.run.outcome !== null) return { status: "ended", run: run.run };
  const position = ((await ctx.get<number>("last")) ?? 0) + 1;
  const stored: StoredPost = { ...message, key: runKeyOf(ctx.key), position };
  ctx.set("last", position);
  if (key !== null) ctx.set(key, position);
  const pending = [...((await ctx.get<StoredPost[]>("pending")) ?? []), stored];
  ctx.set("pending", pending);
  if (run.active !== null) await tell(ctx, run.active, stored);
  toRun(ctx).activate({ why: "post", position });
  return { status: "stored", position };
}

/** An invocation has begun to work on the run. Gives what waits for a receipt; what is posted later comes as a signal. */
async function attach(ctx: ObjectContext, { id }: AttachMessage): Promise<readonly StoredPost[]> {
  const pending = (await ctx.get<StoredPost[]>("pending")) ?? [];
  // One that came between the row and this has been told already: the next signal is not its number again.
  if ((await ctx.get<Told>("told"))?.id !== id) ctx.set("told", { id, signals: 0 } satisfies Told);
  return pending;
}

async function tell(ctx: ObjectContext, id: string, post: StoredPost): Promise<void> {
  const last = await ctx.get<Told>("told");
  const signals = last?.id === id ? last.signals : 0;
  ctx.invocation(InvocationIdParser.fromString(id)).signal<StoredPost>(signalName(signals)).resolve(post);
  ctx.set("told", { id, signals: signals + 1 } satisfies Told);
}

async function answered(ctx: ObjectContext, positions: readonly number[]): Promise<void> {
  const pending = (await ctx.get<StoredPost[]>("pending")) ?? [];
  ctx.set(
    "pending",
    pending.filter(({ position }) => !positions.includes(position)),
  );
}

function who(ctx: ObjectContext, message: WhoMessage): Promise<WhoAnswer | null> {
  return (
    ctx.objectClient({ name: RUN }, ctx.key) as unknown as { who(message: WhoMessage): Promise<WhoAnswer | null> }
  ).who(message);
}
