/** Every place where a run takes a value, each as a workflow that says what it was told. */
import * as z from "zod";
import type { Runtime } from "../../src/entries/runtime.js";
import {
  type Context,
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  type ValueType,
  type Workflow,
  WorkflowError,
} from "../../src/index.js";
import { recordLog } from "./virtual-clock.js";

/** Only ever inside others. */
export class Line extends event("Line", { value: z.any() }) {}
class Given extends event("Given", { value: z.any() }) {}
class Put extends ExternalEvent.define("Put", { value: z.any() }) {}
class Ask extends InputRequiredEvent.define("Ask", { value: z.any() }) {}
class Answer extends HumanResponseEvent.define("Answer", { value: z.any() }) {}

interface State {
  any?: unknown;
  list: unknown[];
  map: Map<string, unknown>;
}
const state = z.object({
  any: z.any().optional(),
  list: z.array(z.any()).default(() => []),
  map: z.map(z.string(), z.any()).default(() => new Map()),
});

export interface Door {
  readonly name: string;
  make(registered: Registered): Workflow;
  /** What whoever gave the value was told: "taken", or a code. The run has ended then. */
  give(runtime: Runtime, value: unknown): Promise<string>;
}

export interface Registered {
  readonly types?: readonly ValueType[];
  readonly events?: readonly (typeof Line)[];
}

let given: unknown;

function byStep(name: string, attempt: (ctx: Context<State>, value: unknown) => unknown): Door {
  return {
    name,
    make: (registered) =>
      defineWorkflow("door", { state, children: { child: echo(registered) }, ...registered })
        .step(
          "try",
          { on: StartEvent, emits: [Given, StopEvent], streams: [Given, Ask], waits: Answer },
          async (_ev, ctx) => {
            const told = await Promise.resolve()
              .then(() => attempt(ctx as never, given))
              .then(() => "taken", codeOf);
            return new StopEvent({ result: told });
          },
        )
        .step("given", { on: Given }, () => {})
        .build({ log: recordLog() }),
    async give(runtime, value) {
      given = value;
      return (await runtime.run("door", {}, { runId: "one" })) as string;
    },
  };
}

/** The step gives it away with its end. */
function byOutput(name: string, output: (value: unknown) => Given | StopEvent): Door {
  return {
    name,
    make: (registered) =>
      defineWorkflow("door", registered)
        .step("give", { on: StartEvent, emits: [Given, StopEvent] }, () => output(given) as Given)
        .step("end", { on: Given, emits: StopEvent }, () => new StopEvent({ result: 1 }))
        .build({ log: recordLog() }),
    async give(runtime, value) {
      given = value;
      return runtime.run("door", {}, { runId: "one" }).then(() => "taken", codeOf);
    },
  };
}

function byCaller(name: string, give: Door["give"], on: typeof Put | typeof Answer = Put): Door {
  return {
    name,
    make: (registered) =>
      defineWorkflow("door", registered)
        .step("start", { on: StartEvent, emits: Ask }, () => new Ask({ value: 1 }))
        .step("put", { on, emits: StopEvent }, () => new StopEvent({ result: 1 }))
        .build({ log: recordLog() }),
    give,
  };
}

function echo(registered: Registered): Workflow {
  return defineWorkflow("echo", registered)
    .step("echo", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: ev.get("value") }))
    .build({ log: recordLog() });
}

/** With what its sender was told; the run is ended by another event where it was not. */
async function sent(runtime: Runtime, work: () => Promise<unknown>): Promise<string> {
  const run = runtime.run("door", {}, { runId: "one" });
  await run.idle();
  const told = await work().then(() => "taken", codeOf);
  if (told !== "taken") await run.cancel();
  await run.then(undefined, () => {});
  return told;
}

export const doors: readonly Door[] = [
  byStep("a result of ctx.run", (ctx, value) => ctx.run("effect", () => value)),
  byStep("a value in the state", (ctx, value) => ctx.store.set("any", value)),
  byStep("a value deep in the state", (ctx, value) => ctx.store.set("any.deep.inside" as "any", value)),
  byStep("an edit of the state", (ctx, value) => ctx.store.editState((draft) => void draft.list.push(value))),
  byStep("an edit of a Map in the state", (ctx, value) =>
    ctx.store.editState((draft) => void draft.map.set("a.b", value)),
  ),
  byStep("the whole state", (ctx, value) => ctx.store.setState({ any: value, list: [], map: new Map() })),
  byStep("the state, piece by piece", async (ctx, value) => {
    for (const _ of [1, 2, 3]) await ctx.store.editState((draft) => void draft.list.push(value));
  }),
  byStep("the answer of an edit", (ctx, value) => ctx.store.editState(() => value)),
  byStep("an event that is sent", (ctx, value) => ctx.sendEvent(new Given({ value }), { immediate: true })),
  byStep("an event that is shown", (ctx, value) => ctx.writeEventToStream(new Given({ value }))),
  byStep("a prompt", (ctx, value) =>
    ctx.waitForEvent(Answer, { prompt: new Ask({ value }), timeout: 0 }).catch(unlessTimedOut),
  ),
  byStep("what a wait compares with", (ctx, value) =>
    ctx.waitForEvent(Answer, { where: { value } as never, timeout: 0 }).catch(unlessTimedOut),
  ),
  byStep("the input and the result of a child", (ctx, value) =>
    (ctx as Context).runChild("child" as never, { value } as never),
  ),
  byOutput("an event that a step returns", (value) => new Given({ value })),
  byOutput("the result of the run", (value) => new StopEvent({ result: value })),
  byCaller("the input of a run", async (runtime, value) => {
    try {
      runtime.run("door", { value }, { runId: "one" });
    } catch (error) {
      return codeOf(error);
    }
    const run = runtime.handle("one");
    await run.idle();
    await run.cancel();
    return "taken";
  }),
  byCaller("an event from outside", (runtime, value) =>
    sent(runtime, () => runtime.handle("one").sendEvent(new Put({ value }))),
  ),
  byCaller("a posted event", (runtime, value) =>
    sent(runtime, () => runtime.handle("one").sendEvent(new Put({ value }), { key: "once" })),
  ),
  byCaller(
    "an answer",
    (runtime, value) =>
      sent(runtime, async () => {
        const [prompt] = await runtime.handle("one").prompts();
        return runtime.handle("one").answer(prompt?.promptId ?? "", { value }, { key: "once" });
      }),
    Answer,
  ),
];

function unlessTimedOut(error: unknown): void {
  if (!WorkflowError.is(error, "WAIT_TIMED_OUT")) throw error;
}

function codeOf(error: unknown): string {
  return WorkflowError.is(error) ? error.code : `unexpected: ${String(error)}`;
}

/** What another process makes of the run: every way to read it. */
export async function readAll(runtime: Runtime): Promise<unknown> {
  const run = runtime.handle("one");
  const entries: unknown[] = [];
  for await (const entry of runtime.history("one")) entries.push(entry);
  const dict = await run.snapshot();
  const outcome = await run.outcome();
  for await (const shown of run.streamEvents()) entries.push(shown);
  return [dict, outcome, entries];
}
