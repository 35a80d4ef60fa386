/** Whatever steps are called and give, the stored result of their run is the one that its caller has got. */
import "./support/seed.js";
import { fc, it } from "@fast-check/vitest";
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { describe, expect } from "vitest";
import { casesOf } from "../../../test-share.js";
import { Loop, Parallel, type Pipeline, Step } from "../src/index.js";
import { pipeline, step } from "./support/pipelines.js";

/** Names that objects have, and names of fields of the result. */
const names = ["toString", "valueOf", "hasOwnProperty", "0", "null", "steps", "metrics", "stepResults", "a b"];
const contents: readonly unknown[] = [
  ...[undefined, null, "", "text", 0, -0, Number.NaN, 1n, false, [], {}, { toString: 1 }, ["a", undefined]],
  ...[new Date(5), new URL("http://a.b/"), new Map([["k", new Set([1])]]), { stepResults: [], steps: [] }],
];

interface Planned {
  readonly group: "none" | "loop" | "parallel";
  readonly content: unknown;
  readonly fails: boolean;
  readonly state: unknown;
}

const planned: fc.Arbitrary<Planned> = fc.record({
  group: fc.constantFrom("none", "loop", "parallel"),
  content: fc.constantFrom(...contents),
  fails: fc.boolean(),
  state: fc.constantFrom(null, {}, [1], "set"),
});

function stepOf(name: string, { content, fails, state }: Planned): Step {
  const executor = (_input: unknown, context: { sessionState: Record<string, unknown> }): unknown => {
    if (state !== null) context.sessionState[name] = state;
    if (fails) throw new Error(`${name} has failed`);
    return content;
  };
  return new Step({ name, executor, maxRetries: 0, onError: "skip" } as never);
}

function flowOf(plans: readonly Planned[], store: RunStore, storeEvents: boolean): Pipeline {
  const steps = plans.map((plan, index) => {
    const own = stepOf(names[index] as string, plan);
    if (plan.group === "loop") return new Loop({ name: `loop ${index}`, steps: [own], maxIterations: 2 } as never);
    return plan.group === "parallel" ? new Parallel(`group ${index}`, own, step(`beside ${index}`)) : own;
  });
  return pipeline(steps as never, { store, storeEvents });
}

function open(flow: Pipeline, store: RunStore): Runtime {
  return createRuntime({ workflows: { [flow.id]: flow.workflow }, store }) as Runtime;
}

/** The result of a run, or its error. */
const endOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(null, ({ code, message }: { readonly code: unknown; readonly message: unknown }) => ({ code, message }));

it.prop([fc.array(planned, { minLength: 1, maxLength: names.length }), fc.boolean()], {
  numRuns: casesOf(150),
})("another process reads the result that the caller of the run got", async (plans, storeEvents) => {
  const store = memoryStore();
  const flow = flowOf(plans, store, storeEvents);
  const first = open(flow, store);
  const live = await endOf(first.run(flow.id, flow.workflowInput("in", { sessionId: "s" }) as never, { runId: "run" }));
  const output = await flow.getRun("run");
  await first.stop();
  const second = open(flow, store);

  expect(await endOf(second.handle("run"))).toStrictEqual(live);
  expect(await flowOf(plans, store, storeEvents).getRun("run")).toStrictEqual(output);

  await second.stop();
});

describe("a stored result that something else has written", () => {
  const hostile = [
    ...["null", "5", "[]", "{}", '{"steps":5,"metrics":{}}', '{"steps":[null],"metrics":{"duration":1}}'],
    ...['{"steps":[],"metrics":null}', '{"steps":[{"steps":1}],"metrics":{"duration":1}}'],
    ...['{"steps":[],"metrics":{"duration":1,"steps":{"__proto__":null}}}'],
  ];

  it.each(hostile)("is refused: %s", async (result) => {
    const store = memoryStore();
    const flow = pipeline([step("a")], { store });
    const first = open(flow, store);
    await first.run(flow.id, flow.workflowInput("in") as never, { runId: "run" });
    await first.stop();
    const read = store.run.bind(store);
    const outcome = `{"status":"completed","event":{"type":"StopEvent","data":{"result":${result}},"meta":{"result":[["custom","pipeline.result"]]}}}`;
    store.run = async (key) => ({ ...(await read(key)), outcome }) as never;
    const second = open(flow, store);

    await expect(second.handle("run")).rejects.toMatchObject({
      code: expect.stringMatching(/^SNAPSHOT_(INVALID|HOSTILE)$/),
    });

    await second.stop();
  });
});
