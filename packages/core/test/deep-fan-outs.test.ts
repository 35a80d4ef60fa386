/** Fan-outs in fan-outs, as deep as a step that splits its own elements makes them. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileWorkflow, createRouting, createRunState, reduce, type Tick } from "../src/entries/engine.js";
import { defineWorkflow, event, many, StartEvent, StopEvent } from "../src/index.js";

class Part extends event("Part", { n: z.number() }) {}

const flow = defineWorkflow("deep")
  .step("start", { on: StartEvent, emits: [many(Part), StopEvent] }, () => [])
  .step("split", { on: Part, emits: [many(Part), StopEvent] }, () => [])
  .build();

describe("the last piece of work of a fan-out", () => {
  it("closes all that end with it in one tick, however deep they are", () => {
    const compiled = compileWorkflow(flow);
    const routing = createRouting(compiled.definition);
    const state = createRunState({ runId: "run", workflow: compiled.name, store: {} });
    const limits = { timeoutMs: null, deadlineMs: null, lineage: null, labels: null };
    reduce(routing, state, { type: "run.started", atMs: 1, event: new StartEvent(), ...limits });
    const complete = (output: Part[]): void => {
      const [item] = state.items.values();
      const tick: Tick = { type: "step.completed", atMs: 1, item: item!.id, attempt: 1, output, sends: null };
      reduce(routing, state, tick);
    };
    const depth = 20_000;

    for (let n = 0; n < depth; n++) complete([new Part({ n })]);
    expect(state.scopes?.size).toBe(depth);
    complete([]);

    expect(state.scopes?.size).toBe(0);
    expect(state.items.size).toBe(0);
    expect(state.status).toBe("running");
  });
});
