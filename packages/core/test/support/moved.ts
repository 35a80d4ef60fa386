/** Runs that ask, in runtimes that let go of them at once: for tests of moves. */
import * as z from "zod";
import { createRuntime, memoryStore, type RunStore, type Runtime, recordsOf } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  WorkflowError,
} from "../../src/index.js";
import { silent } from "./runtimes.js";

class Ask extends InputRequiredEvent.define("Ask", {}) {}
export class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}
class Begin extends StartEvent.define("Begin", { times: z.number().default(1) }) {
  static runRecords() {
    return [{ kind: "visits", id: "all" }];
  }
}

const asks = defineWorkflow("asks")
  .step("ask", { on: Begin, emits: StopEvent, waits: Said, streams: Ask }, async (ev, ctx) => {
    const said: string[] = [];
    for (let n = 0; n < ev.times; n++) {
      const { text } = await ctx.waitForEvent(Said, { key: `${n}`, prompt: new Ask({}) });
      said.push(text);
    }
    return new StopEvent({ result: said.join(" ") });
  })
  .build();

export const visits = defineWorkflow("visits")
  .step("visit", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await recordsOf(ctx).update<number>("visits", "all", (count = 0) => count + 1);
    return new StopEvent();
  })
  .build();

/** Never ends, and shows it. */
const busy = defineWorkflow("busy")
  .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
    return new StopEvent();
  })
  .build();

function keptOpen(store: RunStore): RunStore {
  return { ...store, close: async () => {} };
}

export function open(store: RunStore = memoryStore(), options: object = {}): Runtime {
  const workflows = { asks, visits, busy };
  return createRuntime({ workflows, store: keptOpen(store), log: silent, idleReleaseMs: 0, ...options }) as never;
}

export async function partsOf(exported: AsyncIterable<unknown>): Promise<Record<string, unknown>[]> {
  const parts: unknown[] = [];
  for await (const part of exported) parts.push(part);
  return JSON.parse(JSON.stringify(parts)) as Record<string, unknown>[];
}

export async function asked(runtime: Runtime, times = 1, options: object = {}): Promise<void> {
  const handle = runtime.run("asks", { times }, { runId: "run", ...options });
  await handle.accepted;
  await handle.idle();
}

/** A store with a run that waits and that nobody has. */
export async function left(): Promise<RunStore> {
  const store = memoryStore();
  const runtime = open(store);
  await asked(runtime);
  await runtime.stop();
  return store;
}

export async function failure(promise: PromiseLike<unknown>): Promise<WorkflowError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!WorkflowError.is(error)) throw new Error(`It gave no error, but ${String(error)}.`);
  return error;
}

export const codeOf = async (promise: PromiseLike<unknown>): Promise<string> => (await failure(promise)).code;

export async function say(runtime: Runtime, text: string, key?: string): Promise<string> {
  const handle = runtime.handle("run");
  const [prompt] = await handle.prompts();
  const receipt = await handle.answer(prompt?.promptId ?? "", { text }, key === undefined ? {} : { key });
  await handle.idle();
  return receipt.status;
}
