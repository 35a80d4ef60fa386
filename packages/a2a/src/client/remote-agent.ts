/**
 * Another agent as a durable call of a step.
 *
 * ```
 * send ──► wait ──┬──► completed: the answer
 *           ▲     ├──► asks: a prompt of this run ──► answer ──┐
 *           │     └──► still at work: sleep                    │
 *           └──────────────┴───────────────────────────────────┘
 * ```
 *
 * @module
 */
import type { Part } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import {
  type Context,
  type DefinedWorkflow,
  defineWorkflow,
  type RetryPolicy,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  WorkflowError,
  wait,
} from "millrace";
import { callable, checkOptions, type Rules, text as textRule, unchecked, valueRule } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import { nowMs } from "../system.js";
import { dataPart, type Fields, textPart } from "../wire/parts.js";
import { cancelTasks } from "./cancel-tasks.js";
import { Guard, type GuardWorkflow } from "./guard.js";
import { type ClientSource, openClient, type RemoteHeaders } from "./open-client.js";
import { questionSchema, textSchema } from "./question-schema.js";
import type { RemoteArtifact, RemoteQuestion, RemoteState } from "./remote-state.js";
import { answerTask, beginTask, watchTask } from "./remote-task.js";

/** Options of `remoteAgent`. */
export interface RemoteAgentOptions {
  /** What readers of the history see. @default the host of the address */
  readonly name?: string;
  /** Headers of every request, such as `authorization`; a function is called for each. @default none */
  readonly headers?: RemoteHeaders;
  /** Other origins that its card may name as its address. They get the headers, too. @default none */
  readonly origins?: readonly string[];
  /** The skill that messages name in their metadata, for agents that have several. @default none is named */
  readonly skill?: string;
  /** Of each request. @default 8 attempts in about 10 minutes */
  readonly retry?: RetryPolicy;
  /** Milliseconds for which a task is watched before the run sleeps in between. @default 60000 */
  readonly holdMs?: number;
  readonly fetch?: typeof fetch;
  /**
   * The runtime, whose workflows have the `guard` of this agent. Then the task is also cancelled when its run is cancelled while no
   * process holds it.
   *
   * @default the task is cancelled by the process that holds the run, if one does
   */
  // biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows.
  readonly runtime?: () => Runtime<any>;
}

/** What another agent is asked. One of `text`, `data` and `parts` is needed. */
export interface RemoteMessage {
  readonly text?: string;
  /** Fields, for agents that take data. */
  readonly data?: object;
  /** Parts as the SDK has them. */
  readonly parts?: readonly Part[];
  /** Continues a conversation: the `contextId` of an earlier answer. @default a new context */
  readonly contextId?: string;
  /** @default that of the agent */
  readonly skill?: string;
  /** Identifies this call among others of the step to this agent, for later attempts. @default the name of the agent */
  readonly key?: string;
}

/** What another agent has made of it. */
export interface RemoteAnswer {
  /** `""` for an answer without a task. */
  readonly taskId: string;
  readonly contextId: string;
  /** The texts of all artifacts. */
  readonly text: string;
  /** The first data part; `null` for none. */
  readonly data: unknown;
  readonly artifacts: readonly RemoteArtifact[];
}

export interface RemoteAgent {
  readonly name: string;
  /**
   * Sends a message, and resolves with the answer, however long that takes, over restarts and without a second task.
   *
   * What the agent asks becomes a prompt of this run. When the run is cancelled or the step fails meanwhile, its task is cancelled.
   *
   * @throws {WorkflowError} `REMOTE_AGENT_FAILED` when the task has failed, was cancelled or refused; `KEY_REUSED` for a second call
   * with this key, and what `ctx.run` throws.
   */
  run(ctx: Context, message: RemoteMessage | string): Promise<RemoteAnswer>;
  /** The agent as a workflow of one step, for `static children`, pipelines and runtimes. */
  readonly workflow: DefinedWorkflow<RemoteMessage, RemoteAnswer, Record<string, unknown>>;
  /** For the workflows of a runtime that is given as `runtime`, under any name. */
  readonly guard: GuardWorkflow;
}

/**
 * Another agent that speaks A2A 1.0.
 *
 * @param url Its address: the card is at `/.well-known/agent-card.json` below it, or at the address itself if it ends with `.json`.
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 * @example
 * const booker = remoteAgent("https://booker.example", { headers: { authorization: `Bearer ${token}` } });
 * // in a step
 * const { text } = await booker.run(ctx, "Book a flight to Rome.");
 */
export function remoteAgent(url: string, options: RemoteAgentOptions = {}): RemoteAgent {
  checkOptions("The options of the remote agent are wrong", options, {
    rules,
    besides: isAddress(url) ? [] : ['the address is no address such as "https://booker.example"'],
  });
  const { name = new URL(url).host, headers = {}, origins = [], fetch: fetchImpl = fetch } = options;
  const source: ClientSource = { url, headers, origins, fetch: fetchImpl };
  let opened: Promise<Client> | null = null;
  const open = (): Promise<Client> => {
    opened ??= openClient(source);
    opened.catch(() => void (opened = null));
    return opened;
  };
  const { retry = persistent, runtime = null } = options;
  const guard = new Guard({ name, open, retry, runtime });
  const agent = { name, options, open, guard };
  const run = (ctx: Context, message: RemoteMessage | string): Promise<RemoteAnswer> =>
    askAgent(agent, ctx, typeof message === "string" ? { text: message } : message);
  const workflow = defineWorkflow(`a2a ${name}`)
    .step("ask", { on: StartEvent, emits: StopEvent }, async (event, ctx) => {
      return new StopEvent({ result: await run(ctx, event.fields as RemoteMessage) });
    })
    .build();
  return { name, run, workflow: workflow as never, guard: guard.workflow };
}

interface Agent {
  readonly name: string;
  readonly options: RemoteAgentOptions;
  readonly open: () => Promise<Client>;
  readonly guard: Guard;
}

const persistent = retryPolicy({
  wait: wait.exponentialJitter({ initial: "1s", base: 3, max: "5m" }),
  stop: stop.afterAttempts(8),
});

async function askAgent(
  { name, options, open, guard }: Agent,
  ctx: Context,
  message: RemoteMessage,
): Promise<RemoteAnswer> {
  const { retry = persistent, holdMs = 60_000 } = options;
  const own = ctx.scope(`a2a ${message.key ?? name}`.slice(0, 200));
  const beginning = {
    parts: partsOf(message),
    contextId: message.contextId ?? null,
    metadata: metadataOf(message, options),
  };
  const begun: { contextId: string | null; state: RemoteState | null } = { contextId: null, state: null };
  try {
    let state = await own.run(
      "send",
      async (call) => beginTask(await open(), call, { ...beginning, onContext: (id) => void (begun.contextId = id) }),
      { retry, label: `ask ${name}` },
    );
    if (state.status === "completed") return answerOf(state);
    begun.state = state;
    const { taskId } = state;
    const release = await guard.begin(own, taskId);
    const answered: string[] = [];
    for (let [turn, pauseMs] = [0, 1_000]; ; turn++) {
      begun.state = state;
      if (state.status === "completed" || state.status === "failed") await own.run("ended", release, { retry });
      if (state.status === "completed") return answerOf(state);
      if (state.status === "failed") throw remoteFailed(name, state);
      if (state.status === "asking") {
        answered.push(...(await askPerson({ own, open, retry, state })));
        pauseMs = 1_000;
      } else if (turn > 0) {
        await own.sleep(pauseMs, { key: `pause ${turn}` });
        pauseMs = Math.min(pauseMs * 2, 300_000);
      }
      const waiting = { taskId, answered: [...answered], holdMs };
      state = await own.run(`wait ${turn}`, async (call) => watchTask(await open(), call, waiting), {
        retry,
        label: `wait for ${name}`,
      });
    }
  } catch (error) {
    // Not when the run only leaves this process: then nothing of it settles.
    if (begun.state?.status !== "failed") await cancelTasks(open, begun);
    throw error;
  }
}

interface Asking {
  readonly own: Context;
  readonly open: () => Promise<Client>;
  readonly retry: RetryPolicy;
  readonly state: RemoteState;
}

/** @returns the ids of the questions, which are answered, or not open any more. */
function askPerson(asking: Asking): Promise<string[]> {
  return Promise.all(asking.state.questions.map((question) => askOne(asking, question)));
}

async function askOne({ own, open, retry, state }: Asking, question: RemoteQuestion): Promise<string> {
  const { id, title, schema, expiresAtMs } = question;
  for (let [tries, problem] = [0, ""]; ; tries++) {
    const answer = await answered(own, {
      title,
      schema: questionSchema(schema ?? textSchema),
      ...detailsOf(question, problem),
      key: `${id} ${tries}`,
      ...(expiresAtMs !== null && { timeout: Math.max(expiresAtMs - nowMs(), 1) }),
    });
    if (answer === null) return id;
    const send = await own.run(
      `answer ${id} ${tries}`,
      async (call) => answerTask(await open(), call, { state, question, answer }),
      { retry },
    );
    if (send.status !== "refused") return id;
    problem = send.problem;
  }
}

/** `null`: the question has expired. */
async function answered(own: Context, question: Parameters<Context["ask"]>[0]): Promise<Fields | null> {
  try {
    return (await own.ask(question)) as Fields;
  } catch (error) {
    if (WorkflowError.is(error, "WAIT_TIMED_OUT")) return null;
    throw error;
  }
}

function detailsOf({ details }: RemoteQuestion, problem: string): { readonly details?: unknown } {
  if (problem !== "") return { details: { problem, ...(details !== null && { details }) } };
  return details === null ? {} : { details };
}

function partsOf({ text, data, parts = [] }: RemoteMessage): Part[] {
  const all = [
    ...(text === undefined ? [] : [textPart(text)]),
    ...(data === undefined ? [] : [dataPart(data)]),
    ...parts,
  ];
  if (all.length > 0) return all;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: "The message to the remote agent is empty.",
    hint: "Pass `text`, `data` or `parts`.",
    details: {},
  });
}

function metadataOf(message: RemoteMessage, options: RemoteAgentOptions): Fields | undefined {
  const skill = message.skill ?? options.skill;
  return skill === undefined ? undefined : { skill };
}

function answerOf({ taskId, contextId, artifacts }: RemoteState): RemoteAnswer {
  const [data = null] = artifacts.flatMap((artifact) => artifact.data);
  return { taskId, contextId, text: artifacts.map(({ text }) => text).join(""), data, artifacts };
}

function remoteFailed(name: string, { taskId, state, note, code }: RemoteState): WorkflowError {
  const error = new WorkflowError({
    code: "REMOTE_AGENT_FAILED",
    message: `The agent "${name}" has not done its task: it is in the state ${state}${note === "" ? "" : ` (${note.slice(0, 500)})`}.`,
    hint: "Look the task up at that agent. Another `key` asks it again.",
    details: { agent: name, taskId, state, ...(code !== null && { remoteCode: code }) },
  });
  return Object.assign(error, { retryable: false });
}

const isAddress = (url: unknown): boolean =>
  typeof url === "string" && /^https?:\/\/[^\s?#]+$/.test(url) && URL.canParse(url);

const rules: Rules<RemoteAgentOptions> = {
  name: textRule,
  skill: textRule,
  origins: valueRule((origins) => Array.isArray(origins), "a list of origins"),
  holdMs: valueRule((ms) => typeof ms === "number" && ms > 0, "a number above 0"),
  fetch: callable,
  runtime: callable,
  ...unchecked("headers retry"),
};
