/**
 * `millrace.run`: one virtual object per run. Its exclusive handlers start and continue the run, so at most one of them has it in memory;
 * its shared handlers read the stored state.
 *
 * @module
 */
import {
  handlers,
  type ObjectContext,
  type ObjectSharedContext,
  object,
  type VirtualObjectDefinition,
} from "@restatedev/restate-sdk/fetch";
import { newStoredRun } from "millrace/engine";
import { KeptRun, type Row } from "../kept/kept-run.js";
import { ROW, receiptKey } from "../kept/keys.js";
import { RUN, runKeyOf } from "../names.js";
import { activate, type HostSetup, toInbox, wake, write } from "./activate.js";
import type {
  Activate,
  ReadAnswer,
  ReadMessage,
  StartAnswer,
  StartMessage,
  WhoAnswer,
  WhoMessage,
} from "./messages.js";
import type { ResolvedHostOptions } from "./options.js";
import { readRun } from "./read-run.js";

/** Restate aborts an attempt that has not stopped this long after it was asked to suspend. */
const ABORT_MS = 24 * 60 * 60 * 1_000;

export type RunObject = VirtualObjectDefinition<typeof RUN, RunHandlers>;

export interface RunHandlers {
  start(ctx: ObjectContext, message: StartMessage): Promise<StartAnswer>;
  activate(ctx: ObjectContext, message: Activate): Promise<void>;
  remove(ctx: ObjectContext): Promise<boolean>;
  who(ctx: ObjectSharedContext, message: WhoMessage): Promise<WhoAnswer | null>;
  read(ctx: ObjectSharedContext, message: ReadMessage): Promise<ReadAnswer<unknown>>;
}

type HowServed = Pick<ResolvedHostOptions, "inactivityMs" | "ingressPrivate">;

export function runObject(setup: HostSetup, { inactivityMs, ingressPrivate: hidden }: HowServed): RunObject {
  // Restate sends an invocation at most 32 MiB of state at once, and a run may be larger. In slices, each separate read of a value would
  // end the request.
  const enableLazyState = setup.session.sliceMs === null;
  const working = { enableLazyState, inactivityTimeout: inactivityMs, abortTimeout: ABORT_MS };
  // Waiting clients poll: Restate would keep every poll for a day.
  const looking = { enableLazyState: true, journalRetention: 0, idempotencyRetention: 0 };
  const { exclusive, shared } = handlers.object;
  return object({
    name: RUN,
    handlers: {
      start: exclusive(
        { ...working, ingressPrivate: hidden.has("start") },
        (ctx: ObjectContext, message: StartMessage) => start(ctx, message, setup),
      ),
      activate: exclusive({ ...working, ingressPrivate: true }, (ctx: ObjectContext, message: Activate) =>
        goOn(ctx, message, setup),
      ),
      remove: exclusive({ enableLazyState: true, ingressPrivate: hidden.has("remove") }, (ctx: ObjectContext) =>
        remove(ctx, setup),
      ),
      who: shared({ ...looking, ingressPrivate: true }, who),
      read: shared(
        { ...looking, ingressPrivate: hidden.has("read") },
        (ctx: ObjectSharedContext, message: ReadMessage) => readRun(ctx, message),
      ),
    },
  }) as unknown as RunObject;
}

async function start(ctx: ObjectContext, { record }: StartMessage, setup: HostSetup): Promise<StartAnswer> {
  const known = await ctx.get<Row>(ROW);
  if (known !== null) return { status: "exists", run: known.run };
  const run = newStoredRun(runKeyOf(ctx.key), record);
  const kept = new KeptRun({ run, active: null, ...(record.index !== undefined && { index: record.index }) });
  if (run.status === "scheduled") {
    write(ctx, [kept.setActive(null)]);
    wake(ctx, record.startAtMs, record.createdAtMs);
  } else await activate(ctx, setup, { kept, isFirst: true });
  return { status: "stored", run: { ...kept.run, input: "" } };
}

async function goOn(ctx: ObjectContext, message: Activate, setup: HostSetup): Promise<void> {
  const row = await ctx.get<Row>(ROW);
  if (row === null || !(await isWanted(ctx, message, row))) return;
  const kept = await KeptRun.read(ctx, row);
  await activate(ctx, setup, { kept, isFirst: false });
}

/** Whether the activation is still needed: another one may have done its work. */
async function isWanted(ctx: ObjectContext, message: Activate, { run }: Row): Promise<boolean> {
  switch (message.why) {
    case "post":
      return (run.outcome === null || message.urgent) && (await ctx.get<string>(receiptKey(message.position))) === null;
    case "wake":
      return run.status !== "running" && run.outcome === null && run.wakeAtMs === message.atMs;
    case "rollover":
      return run.status === "running";
  }
}

/** Removes a run that no invocation has in memory. */
async function remove(ctx: ObjectContext, { records }: HostSetup): Promise<boolean> {
  const row = await ctx.get<Row>(ROW);
  if (row === null || row.run.status === "running") return false;
  if (records !== null) await ctx.run("forget", () => records.forget(row.run.key));
  ctx.clearAll();
  toInbox(ctx).remove(null);
  return true;
}

async function who(ctx: ObjectSharedContext, { idempotencyKey }: WhoMessage): Promise<WhoAnswer | null> {
  const row = await ctx.get<Row>(ROW);
  if (row === null) return null;
  const receipt = idempotencyKey === null ? null : await ctx.get<string>(receiptKey(idempotencyKey));
  return { ...row, receipt };
}
