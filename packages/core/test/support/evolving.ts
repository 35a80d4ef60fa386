/** A workflow whose code changes under runs that are stored. */
import * as z from "zod";
import { defineWorkflow, event, HumanResponseEvent, StartEvent, StopEvent, type Workflow } from "../../src/index.js";
import { Machine } from "./processes.js";
import { settle } from "./virtual-clock.js";

export const HOUR = 3_600_000;
export const key = { tenant: "", runId: "one" };

export class Go extends HumanResponseEvent.define("Go", { n: z.number().default(0) }) {}
export class OldNote extends event("Note", { text: z.string() }) {}
export class Note extends event("Note", { text: z.string(), length: z.number() }) {
  static override readonly version: number = 2;
  static override migrate(fields: Record<string, unknown>): object {
    return { ...fields, length: String(fields["text"]).length };
  }
}

export const count = { count: z.number().default(1) };

export interface Version {
  readonly step?: string;
  readonly note?: typeof OldNote | typeof Note;
  readonly version?: number;
  readonly migrate?: (state: Record<string, unknown>, from: number) => object;
  readonly state?: Record<string, z.ZodType>;
  /** The step that waits has more workers. */
  readonly workers?: number;
}

/** Notes, then waits, then ends with the note and the state. */
export function flow({
  step = "wait",
  note = OldNote,
  state = count,
  workers = 4,
  ...versions
}: Version = {}): Workflow {
  return defineWorkflow("evolving", { state: state as { count: z.ZodNumber }, ...versions } as never)
    .step("begin", { on: StartEvent, emits: note as typeof OldNote }, () => new OldNote({ text: "hello" }))
    .step(step, { on: note as typeof OldNote, emits: StopEvent, waits: Go, workers }, async (ev, ctx) => {
      await ctx.waitForEvent(Go);
      const store = ctx.store as unknown as { getState(): Promise<object> };
      return new StopEvent({ result: [{ ...ev }, { ...(await store.getState()) }] });
    })
    .build();
}

export const doubled = {
  version: 2,
  migrate: ({ count }: Record<string, unknown>) => ({ count: Number(count) * 10 }),
};

/** A run that waits, and whose process has gone. */
export async function stored(old: Version = {}, options: object = {}): Promise<Machine> {
  const machine = new Machine();
  const process = machine.open({ flow: flow(old) }, options);
  await process.runtime.run("flow", {}, { runId: "one" }).idle();
  await settle();
  process.kill();
  await machine.clock.advance(HOUR);
  return machine;
}
