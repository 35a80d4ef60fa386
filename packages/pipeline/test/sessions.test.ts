/** Session state: shared within a run, kept between runs. */
import { memoryStore } from "millrace/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { Parallel, Pipeline, type PipelineOptions, Step, type StepFunction } from "../src/index.js";

const open: Pipeline[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
});

function pipeline(steps: PipelineOptions["steps"], options: Partial<PipelineOptions> = {}): Pipeline {
  const made = new Pipeline({ name: "Shopping", steps, ...options });
  open.push(made);
  return made;
}

const addItem: StepFunction = (input, { sessionState }) => {
  const list = (sessionState["shopping_list"] ??= []) as string[];
  list.push(String(input.input));
  return `added ${input.input}`;
};

describe("a session", () => {
  it("keeps its state between runs, whoever it is of; the template stays as it is", async () => {
    const template = { shopping_list: [] as string[] };
    const shopping = pipeline([addItem], { sessionState: template });

    await shopping.run("milk", { sessionId: "one" });
    const second = await shopping.run("bread", { sessionId: "one" });
    const other = await shopping.run("tea", { sessionId: "two" });

    expect(second.sessionState).toEqual({ shopping_list: ["milk", "bread"] });
    expect(other.sessionState).toEqual({ shopping_list: ["tea"] });
    expect(await shopping.sessions.getSessionState("one")).toEqual({ shopping_list: ["milk", "bread"] });
    expect(template).toEqual({ shopping_list: [] });
  });

  it("merges what a run is given, or takes it in the place of what is stored", async () => {
    const look: StepFunction = (_input, { sessionState }) => ({ ...sessionState });
    const merges = pipeline([look]);
    const overwrites = pipeline([look], { overwriteDbSessionState: true });

    for (const one of [merges, overwrites])
      await one.run("", { sessionId: "s", sessionState: { shopping_list: ["milk"] } });

    expect((await merges.run("", { sessionId: "s", sessionState: { secret: 43 } })).content).toEqual({
      shopping_list: ["milk"],
      secret: 43,
    });
    expect((await overwrites.run("", { sessionId: "s", sessionState: { secret: 43 } })).content).toEqual({
      secret: 43,
    });
    expect((await overwrites.run("", { sessionId: "s" })).content).toEqual({ secret: 43 });
  });

  it("is refused to another user", async () => {
    const shopping = pipeline([addItem]);
    await shopping.run("milk", { sessionId: "one", userId: "ada" });

    await expect(shopping.run("bread", { sessionId: "one", userId: "bob" })).rejects.toMatchObject({
      code: "SESSION_FOREIGN",
    });
    expect(await shopping.sessions.getSessionState("one")).toEqual({ shopping_list: ["milk"] });
    const foreign = { code: "SESSION_FOREIGN" };
    await expect(shopping.getSessionState("one", "bob")).rejects.toMatchObject(foreign);
    await expect(shopping.updateSessionState({ shopping_list: [] }, "one", "bob")).rejects.toMatchObject(foreign);
    await expect(shopping.getSessionMetrics("one", "bob")).rejects.toMatchObject(foreign);
    expect(await shopping.getSessionState("one", "ada")).toEqual({ shopping_list: ["milk"] });
  });

  it("keeps what a failed run has changed, and says that it failed", async () => {
    const fails: StepFunction = () => {
      throw new Error("no");
    };
    const run = pipeline([addItem, new Step({ name: "fails", executor: fails })]).run("milk", { sessionId: "one" });
    await run.output();

    const session = await open[0]?.sessions.get("one");

    expect(session).toMatchObject({
      state: { shopping_list: ["milk"] },
      runs: [{ runId: run.runId, status: "ERROR" }],
    });
  });

  it("loses nothing of two hundred runs at once", async () => {
    const shopping = pipeline([addItem]);

    await Promise.all(Array.from({ length: 200 }, (_, n) => shopping.run(`item ${n}`, { sessionId: "one" })));
    const session = await shopping.sessions.get("one");

    expect(session?.runs).toHaveLength(200);
    expect(new Set(session?.state["shopping_list"] as string[]).size).toBe(200);
  });

  it("counts every one of two hundred runs at once that edit one number and one list", async () => {
    const counts: StepFunction = ({ input }, { editState }) =>
      editState((state) => {
        state["n"] = Number(state["n"]) + 1;
        (state["list"] as unknown[]).push(input);
      });
    const counting = pipeline([counts], { sessionState: { n: 0, list: [] } });
    const ids = Array.from({ length: 200 }, (_, n) => `run ${n}`);

    await Promise.all(ids.map((id) => counting.run(id, { sessionId: "one" })));
    const { n, list } = await counting.getSessionState("one");

    expect(n).toBe(200);
    expect((list as string[]).toSorted()).toEqual(ids.toSorted());
  });

  it("gives earlier runs to steps that ask for them, as many as the pipeline loads", async () => {
    const store = memoryStore();
    const remembers = pipeline([(input) => input.getWorkflowHistory()], { store, numHistoryRuns: 2 });
    for (const question of ["one", "two", "three"]) await remembers.run(question, { sessionId: "s" });

    const { content } = await remembers.run("four", { sessionId: "s" });

    expect((content as [string, string][]).map(([asked]) => asked)).toEqual(["two", "three"]);
  });
});

describe("state that branches share", () => {
  it("counts every one of a thousand edits with an await inside", async () => {
    const count: StepFunction = async (_input, { editState }) => {
      await editState(async (state) => {
        const before = (state["count"] as number | undefined) ?? 0;
        await new Promise((resolve) => setImmediate(resolve));
        state["count"] = before + 1;
      });
    };
    const branches = Array.from({ length: 1_000 }, (_, n) => new Step({ name: `b${n}`, executor: count }));

    const { sessionState } = await pipeline([new Parallel({ name: "all", steps: branches })]).run("");

    expect(sessionState).toEqual({ count: 1_000 });
  });
});

it("the first example of the README counts every one of twenty runs at once", async () => {
  const article = new Pipeline({
    name: "article",
    sessionState: { articles: 0 },
    steps: [
      new Parallel("write", new Step({ name: "title", executor: () => "Rivers" })),
      async (input, { editState }) => {
        const number = await editState((state) => ++state.articles);
        return `# ${number}. ${input.getStepContent("title")}`;
      },
    ],
  });

  await Promise.all(Array.from({ length: 20 }, () => article.run("rivers", { sessionId: "s" })));

  expect(await article.getSessionState("s")).toEqual({ articles: 20 });
  await article.close();
});
