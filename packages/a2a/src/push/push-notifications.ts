/**
 * The outbox of push notifications: a run for each task and receiver.
 *
 * ```
 * the task needs input, or has ended ──► recorded ──► sent, signed, until it is accepted ──► next
 * ```
 *
 * A notification is the task as it is at that moment. Both calls of the loop are durable: after a crash, in any process, the outbox
 * continues with what it has not delivered.
 *
 * @module
 */
import { StreamResponse } from "@a2a-js/sdk";
import { sendWebhook } from "@millrace/server/webhooks";
import {
  type Context,
  type DefinedWorkflow,
  defineWorkflow,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  WorkflowError,
  wait,
} from "millrace";
import { callable, checkOptions, type Rules, required, unchecked, valueRule } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import { passed } from "../system.js";
import { artifactsOf, isOver, needsInput, type ShowOptions, taskOf } from "../tasks/run-task.js";
import { standingOf } from "../tasks/task-state.js";
import { taskUpdates } from "../tasks/task-stream.js";
import { allowedFetch, publicFetch } from "./public-fetch.js";
import type { PushOptions } from "./push-notifications.types.js";

/** What `pushNotifications` returns. */
export interface PushNotifications {
  /** To be put among the `workflows` of the runtime, under any name. */
  readonly workflow: DefinedWorkflow<PushInput, null, Record<string, unknown>>;
  readonly options: PushOptions;
  /** @internal */
  readonly bind: (source: TaskSource) => void;
}

export interface PushInput {
  readonly taskId: string;
  readonly url: string;
  readonly token: string;
  readonly authorization: string;
}

/** Where tasks are read. */
export interface TaskSource extends ShowOptions {
  readonly runtime: Runtime;
}

/** A notification. */
interface News {
  /** Of the state that it reports. */
  readonly key: string;
  readonly body: unknown;
  readonly isLast: boolean;
}

const bindMs = 30_000;

/**
 * The outbox of `a2aHandler({ push })`. Put its workflow into the runtime. A process that runs it also needs the `a2aHandler` with
 * this outbox, whether it serves requests or not.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 */
export function pushNotifications(options: PushOptions): PushNotifications {
  checkOptions("The options of the push notifications are wrong", options, { rules });
  let bind: (source: TaskSource) => void = () => {};
  const bound = new Promise<TaskSource>((resolve) => void (bind = resolve));
  const source = async (signal: AbortSignal): Promise<TaskSource> =>
    (await Promise.race([bound, passed(bindMs, signal).then(() => null)])) ?? notBound();
  const workflow = defineWorkflow("a2a-push")
    .step("deliver", { on: StartEvent, emits: StopEvent }, async (event, ctx) => {
      await deliverAll(ctx, event.fields as unknown as PushInput, { source, options });
      return new StopEvent({ result: null });
    })
    .build();
  return { workflow: workflow as never, options, bind };
}

interface Outbox {
  readonly source: (signal: AbortSignal) => Promise<TaskSource>;
  readonly options: PushOptions;
}

async function deliverAll(ctx: Context, input: PushInput, { source, options }: Outbox): Promise<void> {
  const { url, token, authorization } = input;
  const headers = {
    "content-type": "application/a2a+json",
    ...(authorization !== "" ? { authorization } : token !== "" && { "x-a2a-notification-token": token }),
  };
  const { secrets, allow, retry } = options;
  for (let [number, seen] = [0, ""]; ; number++) {
    const before = seen;
    const look = async ({ signal }: { readonly signal: AbortSignal }): Promise<News | null> =>
      nextNews(await source(signal), { ctx, taskId: input.taskId, seen: before, signal });
    const news = await ctx.run(`state ${number}`, look, { retry: persistent });
    if (news === null) return;
    await sendWebhook(ctx, {
      url,
      secrets,
      headers,
      type: "a2a.task",
      key: `state ${number}`,
      data: news.body,
      bare: true,
      ...(retry !== undefined && { retry }),
      fetch: allow === undefined ? publicFetch : allowedFetch(allow),
    });
    if (news.isLast) return;
    seen = news.key;
  }
}

const persistent = retryPolicy({
  wait: wait.exponentialJitter({ initial: "1s", base: 2, max: "5m" }),
  stop: stop.afterAttempts(100),
});

interface Look {
  readonly ctx: Context;
  readonly taskId: string;
  readonly seen: string;
  readonly signal: AbortSignal;
}

/** Waits for the next state to report. `null`: the task is gone. */
async function nextNews(source: TaskSource, { ctx, taskId, seen, signal }: Look): Promise<News | null> {
  const handle = source.runtime.handle(taskId, { tenant: ctx.tenant });
  const show = { ...source, map: undefined, signal, untilInput: false };
  try {
    for await (const { payload } of taskUpdates(handle, show)) {
      if (payload?.$case === "artifactUpdate") continue;
      const standing = await standingOf(handle);
      const key = `${standing.state} ${standing.prompts.map(({ promptId }) => promptId).join(" ")}`;
      if (key === seen || !(isOver(standing) || needsInput(standing))) continue;
      const task = taskOf(standing, await artifactsOf(handle, standing, source), source);
      const body = StreamResponse.toJSON({ payload: { $case: "task", value: task } });
      return { key, body, isLast: isOver(standing) };
    }
  } catch (error) {
    if (!WorkflowError.is(error, "RUN_UNKNOWN")) throw error;
  }
  return null;
}

function notBound(): never {
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: "A process runs the outbox of push notifications and has no `a2aHandler` with it.",
    hint: "Call `a2aHandler(runtime, { push, … })` in every process that runs this workflow, also where it serves no requests.",
    details: {},
  });
}

const rules: Rules<PushOptions> = {
  secrets: required(
    valueRule((secrets) => Array.isArray(secrets) && secrets.length > 0, "a list of secrets, such as `whsec_…`"),
  ),
  allow: callable,
  ...unchecked("retry"),
};
