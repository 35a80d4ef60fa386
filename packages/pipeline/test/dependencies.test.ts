/** What a caller gives to a run stays the caller's own; what no store can hold is possible among the dependencies. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { describe, expect, it } from "vitest";
import { Parallel, Pipeline, type PipelineOptions, Step, type StepFunction } from "../src/index.js";
import { fakeAgent } from "./support/fake-executor.js";
import { temporaryDirectory } from "./support/files.js";
import { pipeline, step } from "./support/pipelines.js";

/** A client as they come: an instance with private fields, which works on itself. */
class Client {
  #calls = 0;

  call(): number {
    return ++this.#calls;
  }
}

const calls: StepFunction = (_input, { dependencies }) => (dependencies["client"] as Client).call();

const given = () => ({
  input: { order: { items: ["a"] } },
  additionalData: { deep: { list: [1] } },
  sessionState: { cart: { items: [] } },
  dependencies: { cache: { hits: {} }, client: new Client() },
  metadata: { deep: { tags: ["x"] } },
  images: [{ url: "https://example.com/a.png" }],
});

/** Every object in it, at any depth. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe("what a run is given", () => {
  it("is never frozen: not by run, nor by workflowInput, nor by the run itself", async () => {
    const options = { sessionState: { list: [{ n: 1 }] }, metadata: { of: { pipeline: true } } };
    const all = pipeline([step("a"), fakeAgent("agent")], options);
    const { input, ...rest } = given();
    const { client: _, ...plain } = rest.dependencies;

    const run = all.run(input, rest);
    const atOnce = objectsIn([input, rest, options]).filter(Object.isFrozen);
    all.workflowInput(input, { ...rest, dependencies: plain });
    await run;
    await all.run(input, rest);

    expect(atOnce).toEqual([]);
    expect(objectsIn([input, rest, options]).filter(Object.isFrozen)).toEqual([]);
  });

  it("is what it was when the run was asked for, whatever its caller makes of it afterwards", async () => {
    const tells: StepFunction = ({ input, additionalData }, { sessionState, metadata }) =>
      JSON.stringify([input, additionalData, sessionState, metadata]);
    const late = pipeline([tells]);
    const { input, ...rest } = given();

    const run = late.run(input, rest);
    input.order.items.push("late");
    rest.additionalData.deep.list.push(2);
    Object.assign(rest.sessionState.cart, { late: true });
    rest.metadata.deep.tags.push("late");

    expect((await run).content).toBe(
      '[{"order":{"items":["a"]}},{"deep":{"list":[1]}},{"cart":{"items":[]}},{"deep":{"tags":["x"]}}]',
    );
  });

  it("by an answer, or told by a step, is not frozen either", async () => {
    const told = { deep: { list: [1] } };
    const values = { tone: { deep: "calm" } };
    const asks = step("asks", {
      executor: (_input, { emit }) => emit("Told", told),
      humanReview: { requiresUserInput: true, userInputSchema: [{ name: "tone", type: "object" }] },
    });
    const asked = pipeline([asks], { storeEvents: true });
    const paused = await asked.run("in");
    paused.requirements[0]?.setUserInput(values);
    await asked.continueRun(paused);

    expect(objectsIn([told, values]).filter(Object.isFrozen)).toEqual([]);
  });
});

describe("dependencies", () => {
  it("may be anything, of the pipeline and of the run, and are the objects themselves", async () => {
    const [ofPipeline, ofRun] = [new Client(), new Client()];
    const cache: Record<string, unknown> = {};
    const seen: unknown[] = [];
    const agent = fakeAgent("agent", ({ runContext }) => {
      seen.push(runContext.dependencies["other"]);
      return {};
    });
    const uses: StepFunction = (_input, { dependencies }) => {
      const { cache: own, log } = dependencies as { cache: Record<string, unknown>; log: (text: string) => void };
      own["used"] = Number(own["used"] ?? 0) + 1;
      log("used");
    };
    const inner = new Pipeline({ name: "Inner", steps: [uses, calls] });
    const all = pipeline([calls, new Parallel("both", uses, agent), inner], {
      dependencies: { client: ofPipeline, cache },
    });

    const log = (text: string) => void seen.push(text);
    const { content } = await all.run("in", { dependencies: { other: ofRun, log } });

    expect(content).toBe(2);
    expect(cache).toEqual({ used: 2 });
    expect(seen).toEqual(expect.arrayContaining(["used", ofRun, "used"]));
    expect(JSON.stringify(await all.run("in", { dependencies: { log } }).output())).not.toContain("Client");
  });

  it("that are no data are those of the process that goes on; data that a run was given stays with it", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const tells: StepFunction = (_input, { dependencies }) => ({
      client: (dependencies["client"] as Client).call(),
      mail: typeof dependencies["mail"],
      of: dependencies["of"],
      url: dependencies["url"],
    });
    const open = (client: Client) =>
      new Pipeline({
        name: "Restarted",
        store: sqliteStore(path),
        dependencies: { client, url: "a" },
        steps: [
          step("asks", { humanReview: { requiresConfirmation: true } }),
          new Step({ name: "tells", executor: tells }),
        ],
      });
    const first = open(new Client());
    const dependencies = { of: { run: true }, mail: () => {} };
    const runs = [await first.run("in", { dependencies }), await first.run("in", { dependencies })];
    await first.close();

    const other = new Client();
    other.call();
    await using next = open(other);
    const contents: unknown[] = [];
    for (const [index, paused] of runs.entries()) {
      for (const requirement of paused.requirements) requirement.confirm();
      const again = index === 0 ? {} : { dependencies: { mail: () => {}, url: "b" } };
      contents.push((await next.continueRun(paused, again)).content);
    }

    expect(contents).toEqual([
      { client: 2, mail: "undefined", of: { run: true }, url: "a" },
      { client: 3, mail: "function", of: { run: true }, url: "b" },
    ]);
  });

  it("of the outer pipeline are those of a nested one, also where that goes on in another process", async () => {
    const path = join(temporaryDirectory(), "runs.db");
    const open = (options: Partial<PipelineOptions> = {}) => {
      const asks = step("asks", { humanReview: { requiresConfirmation: true } });
      const steps = [new Pipeline({ name: "Inner", steps: [asks, calls] })];
      return new Pipeline({ name: "Outer", store: sqliteStore(path), steps, ...options });
    };
    const first = open({ dependencies: { client: new Client() } });
    const paused = await first.run("in");
    await first.close();
    for (const requirement of paused.requirements) requirement.confirm();

    await using next = open({ dependencies: { client: new Client() } });

    expect((await next.continueRun(paused)).content).toBe(1);
  });

  it("that are no data cannot be in the input of the workflow: that is stored", () => {
    const made = pipeline([calls]);

    expect(() => made.workflowInput("in", { dependencies: { client: new Client(), url: "a" } })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining("`dependencies.client`") }),
    );
  });
});

it("a state that cannot be stored is refused at the door, by its path, before anything is stored", async () => {
  const refuses = pipeline([step("a")]);
  const sessionState = { cart: { order: new Client() } };

  expect(() => refuses.run("in", { sessionState })).toThrow(
    expect.objectContaining({ code: "VALUE_UNSERIALIZABLE", message: expect.stringContaining('"cart.order"') }),
  );
  expect((await refuses.runs()).runs).toEqual([]);
});
