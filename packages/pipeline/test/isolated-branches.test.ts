/** Branches of a Parallel that each have a copy of the session state. */
import { describe, expect, it } from "vitest";
import { Loop, Parallel, Step, type StepFunction, Steps } from "../src/index.js";
import { fails, pipeline } from "./support/pipelines.js";

const does = (name: string, executor: StepFunction): Step => new Step({ name, executor });
const sets = (name: string, field: string, value: unknown): Step =>
  does(name, (_input, { sessionState }) => {
    sessionState[field] = value;
    return name;
  });
const isolated = (...steps: Step[]): Parallel => new Parallel({ name: "both", state: "isolated", steps });
const never = async () => {};

describe("an isolated Parallel", () => {
  it("lets no branch see what another one changes, and merges all of it when they are done", async () => {
    const seen: unknown[] = [];
    let isChanged = (): void => {};
    const changed = new Promise<void>((resolve) => (isChanged = resolve));
    const made = pipeline(
      [
        isolated(
          does("writes", (_input, { sessionState }) => {
            (sessionState["items"] as unknown[]).push("written");
            (sessionState["nested"] as Record<string, number>)["left"] = 1;
            isChanged();
          }),
          does("reads", async (_input, { sessionState }) => {
            await changed;
            seen.push(JSON.parse(JSON.stringify(sessionState)));
            (sessionState["items"] as unknown[]).push("read");
            (sessionState["nested"] as Record<string, number>)["right"] = 2;
          }),
        ),
        does("after", (_input, { sessionState }) => [...(sessionState["items"] as unknown[])]),
      ],
      { sessionState: { items: ["first"], nested: {} } },
    );

    const output = await made.run("");

    expect(seen).toEqual([{ items: ["first"], nested: {} }]);
    expect(output.sessionState).toEqual({ items: ["first", "written", "read"], nested: { left: 1, right: 2 } });
    expect(output.content).toEqual(["first", "written", "read"]);
  });

  it("merges in the order of declaration, whoever ends first", async () => {
    let isDone = (): void => {};
    const done = new Promise<void>((resolve) => (isDone = resolve));
    const late = does("late", async (_input, { sessionState }) => {
      await done;
      sessionState["winner"] = "late";
    });
    const early = does("early", (_input, { sessionState }) => {
      sessionState["winner"] = "early";
      isDone();
    });

    expect((await pipeline([isolated(late, early)]).run("")).sessionState).toEqual({ winner: "early" });
  });

  it("merges as a function says, which gets what each branch has made of it", async () => {
    const asked: unknown[] = [];
    const made = pipeline(
      [
        new Parallel({
          name: "votes",
          state: "isolated",
          steps: [sets("a", "vote", 3), does("abstains", never), sets("b", "vote", 5)],
          merge: async (base, branches) => {
            asked.push(base, branches);
            return { votes: branches.map(({ vote }) => vote ?? null) };
          },
        }),
      ],
      { sessionState: { topic: "tea" } },
    );

    const output = await made.run("");

    const base = { topic: "tea" };
    expect(asked).toEqual([base, [{ ...base, vote: 3 }, base, { ...base, vote: 5 }]]);
    expect(output.sessionState).toEqual({ votes: [3, null, 5] });
  });

  it("fails with its merge, and takes no half of it", async () => {
    const bad = (merge: unknown) =>
      pipeline([
        new Parallel({ name: "both", state: "isolated", onError: "skip", steps: [sets("a", "x", 1)], merge } as never),
        does("after", () => "went on"),
      ]).run("");

    const [thrown, wrong] = [await bad(fails), await bad(() => "text")];

    expect(thrown).toMatchObject({ content: "went on", sessionState: {}, stepResults: [{ error: "no" }, {}] });
    const error = '`merge` of the parallel "both" returned string, not a session state.';
    expect(wrong).toMatchObject({ content: "went on", sessionState: {}, stepResults: [{ error }, {}] });
  });

  it("leaves nothing behind where it is given up", async () => {
    const both = new Parallel({
      name: "both",
      state: "isolated",
      onError: "skip",
      steps: [new Steps({ steps: [sets("a", "x", 1), does("bad", fails)] }), sets("b", "y", 1)],
    });

    expect((await pipeline([both, sets("after", "z", 1)]).run("")).sessionState).toEqual({ z: 1 });
  });

  it("has what goes on around it when it is joined: in a loop, and in a branch of another one", async () => {
    const counts = (name: string): Step =>
      does(name, async (_input, { editState }) => {
        await editState(async (state) => {
          state["total"] = Number(state["total"]) + 1;
          (state["log"] as unknown[]).push(name);
        });
      });
    const inner = isolated(counts("c"), counts("d"));
    const loop = new Loop({
      maxIterations: 2,
      steps: [
        new Parallel({
          name: "outer",
          state: "isolated",
          steps: [counts("a"), new Steps({ steps: [counts("b"), inner] })],
        }),
      ],
    });
    const made = pipeline([loop], { sessionState: { total: 0, log: [] } });

    const { sessionState } = await made.run("");

    expect(sessionState["log"]).toEqual(["a", "b", "c", "d", "a", "b", "c", "d"]);
    expect(sessionState["total"]).toBe(8);
  });

  it("adds up what branches have counted, and takes what one of them has set", async () => {
    const adds =
      (field: string, amount: number): StepFunction =>
      async (_input, { editState }) => {
        await editState((state) => {
          state[field] = ((state[field] as number | undefined) ?? 0) + amount;
        });
      };
    const made = pipeline(
      [
        isolated(does("a", adds("n", 2)), does("b", adds("n", 3))),
        isolated(does("c", adds("m", 1)), sets("d", "m", 7)),
      ],
      { sessionState: { n: 10 } },
    );

    expect((await made.run("")).sessionState).toEqual({ n: 15, m: 7 });
  });

  it("shares the state of a branch with a pipeline that is nested in it", async () => {
    const nested = pipeline([
      does("inside", (_input, { sessionState }) => (sessionState["mine"] as unknown[]).push("nested")),
    ]);
    const branch = new Steps({ steps: [sets("own", "mine", ["own"]), new Step({ executor: nested })] });
    const other = does("other", (_input, { sessionState }) => Object.keys(sessionState));
    const output = await pipeline([new Parallel({ state: "isolated", steps: [branch, other] })]).run("");

    expect(output.sessionState).toEqual({ mine: ["own", "nested"] });
    expect(output.stepResults[0]?.steps[1]?.content).toEqual([]);
  });

  it("is asked for by name; a merge needs it", () => {
    const given = { steps: [], state: "alone", merge: 3 } as never;

    expect(() => new Parallel(given)).toThrow(
      '`state` is "alone", not one of shared, isolated; `merge` is 3, not a function; `merge` needs `state: "isolated"`',
    );
  });
});

it("branches share one state where nothing else is said", async () => {
  const both = new Parallel({ steps: [sets("a", "x", 1), does("b", (_input, { sessionState }) => sessionState["x"])] });

  expect((await pipeline([both]).run("")).stepResults[0]?.steps[1]?.content).toBe(1);
});
