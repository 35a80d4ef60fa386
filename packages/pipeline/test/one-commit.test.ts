/** What a pipeline writes: each visit is one act, and what comes to its end together is stored together. */
import { describe, expect, it } from "vitest";
import { Parallel, Pipeline, type PipelineOptions, Step } from "../src/index.js";
import { pipeline, step } from "./support/pipelines.js";
import { WatchedStore, type Written } from "./support/watched-store.js";

/** All that a run of these steps writes. */
async function writtenBy(steps: PipelineOptions["steps"], options: Partial<PipelineOptions> = {}): Promise<Written> {
  const watched = new WatchedStore();
  const made = pipeline(steps, { store: watched.store, ...options });
  await made.run("in");
  await made.close(); // how the run ended is stored a moment later
  return watched.now;
}

const chain = (count: number): Step[] => Array.from({ length: count }, (_, place) => step(`s${place}`));

const branches = (count: number, executor: (place: number) => Step["options"]["executor"]): Parallel =>
  new Parallel({
    name: "all",
    steps: Array.from({ length: count }, (_, place) => new Step({ name: `b${place}`, executor: executor(place) })),
  });

describe("a step", () => {
  it("is one tick and one commit", async () => {
    const [few, many] = [await writtenBy(chain(3)), await writtenBy(chain(13))];

    expect((many.ticks - few.ticks) / 10).toBe(1);
    expect((many.commits - few.commits) / 10).toBe(1);
  });

  it("of a function that gives a text stores about half a kB: 0.5, and more where a slow machine stores its run in more commits", async () => {
    const done = (count: number): Step[] =>
      Array.from({ length: count }, (_, place) => step(`s${place}`, { executor: () => "done" }));
    const [few, many] = [await writtenBy(done(3)), await writtenBy(done(13))];

    expect((many.length - few.length) / 10).toBeLessThan(600);
  });

  it("of a function that gives a text adds 0.1 kB to the result of its run, in the last tick and in the row of the run", async () => {
    const done = (count: number): Step[] =>
      Array.from({ length: count }, (_, place) => step(`s${place}`, { executor: () => "done" }));
    const [few, many] = [await writtenBy(done(3)), await writtenBy(done(13))];

    expect((many.endTick - few.endTick) / 10).toBeLessThan(110);
    expect((many.outcome - few.outcome) / 10).toBeLessThan(110);
  });

  it("is one commit also where it changes the session state in place", async () => {
    const counting = (count: number): Step[] =>
      Array.from({ length: count }, (_, place) => {
        const executor: Step["options"]["executor"] = (_input, { sessionState }) =>
          void (sessionState["list"] as unknown[]).push(place);
        return new Step({ name: `s${place}`, executor });
      });
    const options = { sessionState: { list: [] } };
    const [few, many] = [await writtenBy(counting(3), options), await writtenBy(counting(13), options)];

    expect((many.commits - few.commits) / 10).toBe(1);
  });
});

describe("a Parallel", () => {
  it("of 400 commits at most 20 times", async () => {
    expect((await writtenBy([branches(400, (place) => () => place)])).commits).toBeLessThanOrEqual(20);
  });

  it("of 100 nested pipelines gives all of their outputs, and what they have changed", async () => {
    const inner = (place: number): Pipeline =>
      new Pipeline({
        name: `inner ${place}`,
        steps: [
          (_input, { sessionState }) => {
            sessionState[`of ${place}`] = place;
            return place;
          },
        ],
      });
    const made = pipeline([branches(100, inner)]);

    const { stepResults, sessionState } = await made.run("in");

    expect(stepResults[0]?.steps.map(({ content }) => content)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(Object.keys(sessionState)).toHaveLength(100);
  });

  it("whose branches edit the state as well loses nothing", async () => {
    const counts: Step["options"]["executor"] = (_input, { editState, sessionState }) => {
      (sessionState["list"] as unknown[]).push("in place");
      return editState((state) => {
        state["count"] = Number(state["count"]) + 1;
      });
    };
    const made = pipeline([branches(30, () => counts)], { sessionState: { count: 0, list: [] } });

    const { sessionState } = await made.run("in");

    expect(sessionState["count"]).toBe(30);
    expect(sessionState["list"]).toHaveLength(30);
  });
});
