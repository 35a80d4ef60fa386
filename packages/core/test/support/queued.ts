/** Workflows of a queue, and a runtime with that queue. */
import * as z from "zod";
import type { QueueOptions, RuntimeRunOptions } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  ExternalEvent,
  event,
  retryPolicy,
  StartEvent,
  StopEvent,
  stop,
  wait,
} from "../../src/index.js";
import { Machine } from "./processes.js";
import { settle } from "./virtual-clock.js";

export class Begin extends StartEvent.define("Begin", { id: z.string() }) {}
export class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}
class Napped extends event("Napped", { id: z.string() }) {}

/** Workflows whose steps say when they begin, and end when a test says so. */
export function works() {
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  const failing = new Set<string>();
  const atWork = (id: string): Promise<void> => {
    begun.push(id);
    return new Promise<void>((resolve) => open.set(id, resolve));
  };
  const end = async (...ids: string[]): Promise<void> => {
    for (const id of ids) {
      open.get(id)?.();
      open.delete(id);
    }
    await settle();
  };
  const work = defineWorkflow("work")
    .step(
      "work",
      { on: Begin, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed("1m"), stop: stop.afterAttempts(2) }) },
      async ({ id }) => {
        await atWork(id);
        if (failing.has(id)) throw new Error("no luck");
        return new StopEvent({ result: id });
      },
    )
    .build();
  const nap = defineWorkflow("nap")
    .step("nap", { on: Begin, emits: Napped }, async ({ id }, ctx) => {
      begun.push(`${id} naps`);
      await ctx.sleep("1m");
      return new Napped({ id });
    })
    .step("work", { on: Napped, emits: StopEvent }, async ({ id }) => {
      await atWork(id);
      return new StopEvent({ result: id });
    })
    .build();
  const ask = defineWorkflow("ask")
    .step("ask", { on: Begin, emits: StopEvent, waits: Poke }, async ({ id }, ctx) => {
      const { n } = await ctx.waitForEvent(Poke);
      await atWork(id);
      return new StopEvent({ result: n });
    })
    .build();
  return { flows: { work, nap, ask }, begun, failing, end, atWork: () => [...open.keys()] };
}

export function opened(queue: QueueOptions, machine = new Machine()) {
  const made = works();
  const process = machine.open(made.flows, { queues: { llm: queue } });
  const { runtime } = process;
  const start = (flow: "work" | "nap" | "ask", id: string, options: RuntimeRunOptions = {}) =>
    runtime.run(flow, { id }, { runId: id, queue: "llm", ...options });
  const place = async (id: string) => (await runtime.handle(id).summary()).queue;
  return { ...made, machine, process, runtime, start, place };
}

export const one = { concurrency: 1 };
