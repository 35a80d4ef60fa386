/**
 * Cancels a task of another agent when the run that waits for it has ended without it.
 *
 * A run that has left memory, or whose process has died, ends without its code when it is cancelled. So the guard is a run of its
 * own: it waits for the end of the other one, in whatever process.
 *
 * ```
 * run:    send ──► guard begins ──► … ──► answer ──► guard is released
 * guard:  waits for the end of the run ──► cancels the task, with retries
 * ```
 *
 * @module
 */
import type { Client } from "@a2a-js/sdk/client";
import { TaskNotCancelableError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import {
  type Context,
  type DefinedWorkflow,
  defineWorkflow,
  type RetryPolicy,
  StartEvent,
  StopEvent,
  WorkflowError,
} from "millrace";
import { roleOf } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import { hashOf } from "../system.js";

/** What a guard watches. */
interface Watched {
  /** The run that waits, which may be a child. */
  readonly runId: string;
  readonly taskId: string;
}

export interface GuardSource {
  readonly name: string;
  readonly open: () => Promise<Client>;
  readonly retry: RetryPolicy;
  // biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows.
  readonly runtime: (() => Runtime<any>) | null;
}

export type GuardWorkflow = DefinedWorkflow<Watched, null, Record<string, unknown>>;

export class Guard {
  readonly workflow: GuardWorkflow;
  readonly #source: GuardSource;

  constructor(source: GuardSource) {
    this.#source = source;
    this.workflow = defineWorkflow(`a2a-guard ${source.name}`)
      .step("guard", { on: StartEvent, emits: StopEvent }, async (event, ctx) => {
        await this.#watch(ctx, event.fields as unknown as Watched);
        return new StopEvent({ result: null });
      })
      .build() as never;
  }

  /** Begins to watch. Without a runtime it does nothing. @returns what ends it, for durable calls */
  async begin(ctx: Context, taskId: string): Promise<() => Promise<null>> {
    const runtime = this.#source.runtime?.();
    if (runtime === undefined) return async () => null;
    const { runId, tenant } = ctx;
    const guardId = `a2a-guard-${await hashOf(runId, taskId)}`;
    const input: Watched = { runId, taskId };
    await runtime.run(this.#nameIn(runtime), input as never, { runId: guardId, tenant }).accepted;
    return async () => {
      await runtime.handle(guardId, { tenant }).cancel("The task has ended.");
      return null;
    };
  }

  #nameIn({ workflows }: Runtime): string {
    const found = Object.entries(workflows).find(([, workflow]) => workflow === (this.workflow as unknown));
    if (found !== undefined) return found[0];
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `The \`guard\` of the remote agent "${this.#source.name}" is not among the workflows of its runtime.`,
      hint: "Put it there, under any name: `createRuntime({ workflows: { …, guard: agent.guard } })`.",
      details: { agent: this.#source.name },
    });
  }

  async #watch(ctx: Context, { runId, taskId }: Watched): Promise<void> {
    const { runtime, open, retry } = this.#source;
    const root = runId.split("/")[0] as string; // the end of a parent is that of its children
    await ctx.run("end", ({ signal }) => endOf(runtime?.() as Runtime, { runId: root, tenant: ctx.tenant, signal }), {
      retry,
    });
    await ctx.run("cancel", () => cancelTask(open, taskId), { retry });
  }
}

interface Ended {
  readonly runId: string;
  readonly tenant: string;
  readonly signal: AbortSignal;
}

async function endOf(runtime: Runtime, { runId, tenant, signal }: Ended): Promise<null> {
  const handle = runtime.handle(runId, { tenant });
  try {
    const { lastEvent } = await handle.summary();
    const isEnded = async (): Promise<boolean> => ((await handle.outcome())?.status ?? "waiting") !== "waiting";
    if (await isEnded()) return null;
    for await (const { event, origin } of handle.streamEvents({ after: lastEvent, signal }))
      if (origin === null && ["stop", "terminal"].includes(roleOf(event))) return null;
    signal.throwIfAborted();
  } catch (error) {
    if (!WorkflowError.is(error, "RUN_UNKNOWN")) throw error; // it was deleted
  }
  return null;
}

async function cancelTask(open: () => Promise<Client>, id: string): Promise<null> {
  try {
    await (await open()).cancelTask({ id, tenant: "", metadata: undefined });
  } catch (error) {
    if (!(error instanceof TaskNotCancelableError || error instanceof TaskNotFoundError)) throw error; // it has ended
  }
  return null;
}
