/** Runs from the command line, over the store of a project. */
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { ask, flaky, joke, odd, order, pipeline } from "./support/flows.js";
import { createProject, type Project } from "./support/project.js";

interface Line {
  readonly type: string;
  readonly run_id: string;
  readonly status: string;
  readonly result?: unknown;
  readonly prompts?: readonly { readonly prompt_id: string; readonly answer: { readonly type: string } }[];
}

async function lines(project: Project, ...args: string[]): Promise<Line[]> {
  const { stdout } = await project.call(...args, "--json");
  return stdout.split("\n").map((line) => JSON.parse(line) as Line);
}

describe("millrace run", () => {
  it("runs a workflow to its end, prints its steps, its events and its result", async () => {
    const project = createProject({ "joke.ts": joke });

    const { code, stdout, stderr } = await project.call("run", "joke.ts#JokeFlow", "--input", '{"topic":"pirate"}');

    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^JokeFlow {2}\S+$/m);
    expect(stdout).toMatch(/^write {2}completed {2}/m);
    expect(stdout).toContain('› Joke {"text":"A pirate walks into a bar."}');
    expect(stdout).toMatch(/^completed after /m);
    expect(stdout).toMatch(/^26$/m);
  });

  it("refuses the options of pipelines and of servers where there is none, and starts nothing", async () => {
    const project = createProject({ "joke.ts": joke });
    const call = (...args: string[]) => project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"pirate"}', ...args);

    const session = await call("--session", "s");
    const user = await call("--user", "ann");
    const detached = await call("--detach");

    expect(session).toMatchObject({ code: 2, stderr: expect.stringContaining("`--session` is for pipelines") });
    expect(user).toMatchObject({ code: 2, stderr: expect.stringContaining("`--user` is for pipelines") });
    expect(detached).toMatchObject({ code: 2, stderr: expect.stringContaining("Name a server with `--url`") });
    expect((await project.call("runs")).stdout).not.toContain("JokeFlow");
  });

  it("prints JSON lines and nothing else with --json", async () => {
    const project = createProject({ "joke.ts": joke });

    const told = await lines(project, "run", "joke.ts#JokeFlow", "-i", '{"topic":"b"}', "--id", "one");

    expect(told[0]).toEqual({ type: "run", run_id: "one", workflow: "JokeFlow" });
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(["run", "step", "event", "end"]));
    expect(told.at(-1)).toEqual({ type: "end", run_id: "one", status: "completed", result: 21 });
  });

  it("names the command that runs the failed work again, and no method of a client", async () => {
    const failing = 'import { defineWorkflow, StartEvent, StopEvent } from "millrace";\n';
    const body =
      'defineWorkflow("bad").step("a", { on: StartEvent, emits: StopEvent }, () => { throw new Error("no"); }).build()';
    const project = createProject({ "bad.ts": `${failing}export const bad = ${body};\n` });

    const { stdout } = await project.call("run", "bad.ts", "--id", "one", "--json");

    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toEqual({
      type: "end",
      run_id: "one",
      status: "failed",
      error: {
        code: "STEP_FAILED",
        message: "no",
        hint: "`millrace retry one` runs the failed work again.",
        place: expect.stringMatching(/bad\.ts:2:\d+$/),
      },
    });
  });

  it("shows what JSON cannot hold as it is on the wire, for people and for scripts", async () => {
    const project = createProject({ "odd.ts": odd });

    const said = await project.call("run", "odd.ts", "--id", "one");
    const told = await lines(project, "answer", "one", "-i", '{"ok":true}');
    const shown = await project.json<{ result: object }>("show", "one");

    expect(said).toMatchObject({ code: 0, stderr: expect.stringContaining("millrace answer one") });
    expect(said.stdout).toContain('› Odd {"big":"10","at":"1970-01-01T00:00:00.000Z","map":[["a",1]]}');
    expect(said.stdout).toContain('big: "11"');
    expect(told.at(-1)).toMatchObject({ status: "completed", result: { big: "12", set: [1] } });
    expect(shown.result).toEqual({ big: "12", set: [1] });
  });

  it("prints of a pipeline the content, then its steps", async () => {
    const project = createProject({ "pipe.ts": pipeline });

    const { stdout } = await project.call("run", "pipe.ts", "--input", '"pirates"', "--id", "p");
    const shown = await project.call("show", "p");

    const result = [
      "{",
      '  "length": 26',
      "}",
      "",
      "✔ both",
      "  ✔ left  said of pirates",
      "  ✔ right  said of pirates",
      "✔ again",
      "  ✔ turn  said of pirates",
      "  ✔ inner",
      "    ✔ a  said of pirates",
      "    ✔ b  said of pirates",
      '✔ last  {"length":26}',
    ].join("\n");
    expect(stdout.slice(stdout.indexOf("\n{\n") + 1)).toBe(result);
    expect(shown.stdout).toContain(result);
    expect((await lines(project, "run", "pipe.ts", "-i", '"cats"')).at(-1)?.result).toMatchObject({
      content: { length: 26 },
      stepResults: [{}, {}, {}],
    });
  });

  it("leaves a run that asks in the store, and `answer` brings it to its end", async () => {
    const project = createProject({ "order.ts": order });
    const waiting = (await lines(project, "run", "order.ts", "--id", "o-1")).at(-1);

    const refused = await project.call("answer", "o-1", "--input", "{}");
    const end = (await lines(project, "answer", "o-1", "--input", '{"approved":true}')).at(-1);

    expect(waiting).toMatchObject({ status: "waiting", prompts: [{ answer: { type: "Decision" } }] });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("EVENT_INVALID") });
    expect(refused.stderr).toContain("approved");
    expect(end).toMatchObject({ status: "completed", result: 6 });
  });

  it("shows the title of a question of `ctx.ask`, and `answer` answers it", async () => {
    const project = createProject({ "ask.ts": ask });
    const said = await project.call("run", "ask.ts", "--id", "a-1");

    const refused = await project.call("answer", "a-1", "--input", '{"approved":"yes"}');
    const shown = await project.call("show", "a-1");
    const end = (await lines(project, "answer", "a-1", "--input", '{"approved":true}')).at(-1);

    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\? Refund 5 €\? {2}of ask {2}a-1:\d+\n {2}order: A-17$/m),
    });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/EVENT_INVALID[\s\S]*approved/) });
    expect(shown.stdout).toContain("? Refund 5 €?");
    expect(end).toMatchObject({ status: "completed", result: "refunded" });
  });

  it("fails with exit code 1, is retried, forked with another state, and compared", async () => {
    const project = createProject({ "flaky.ts": flaky });
    const failed = await project.call("run", "flaky.ts", "--id", "f-1");
    project.write("fixed", "now");

    const retried = (await lines(project, "retry", "f-1")).at(-1);
    project.write("fixed", "later");
    const forked = (await lines(project, "fork", "f-1", "--at", "1", "--id", "f-2", "--state", '{"count":5}')).at(-1);
    const diff = await project.call("diff", "f-1", "f-2");

    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("It is not fixed yet.") });
    expect(failed.stderr).toContain("millrace retry f-1");
    expect(retried).toMatchObject({ status: "completed", result: "now" });
    expect(forked).toMatchObject({ status: "completed", result: "later" });
    expect(diff.code).toBe(1);
    expect(diff.stdout).toContain("They part at");
    expect(diff.stdout).toContain('- "now"');
    expect(diff.stdout).toContain('+ "later"');
    expect(diff.stdout).toMatch(/state\.count\n {2}- 1\n {2}\+ 6/);
  });

  it("cancels a run, and resumes it", async () => {
    const project = createProject({ "joke.ts": joke });
    await project.call("run", "joke.ts#AskFlow", "--id", "a-1");

    const cancelled = await project.call("cancel", "a-1", "--reason", "no time");
    const resumed = (await lines(project, "resume", "a-1")).at(-1);

    expect(cancelled).toMatchObject({ code: 0, stdout: "cancelled" });
    expect(resumed).toMatchObject({ status: "waiting" });
  });

  it("leaves other runs of the store alone", async () => {
    const project = createProject({ "joke.ts": joke });
    await project.call("run", "joke.ts#AskFlow", "--id", "a-1");
    const before = await project.json<{ ticks: number }>("show", "a-1");

    await project.call("run", "joke.ts#AskFlow", "--id", "a-2");
    await project.call("answer", "a-2", "-i", '{"approved":false}');
    const after = await project.json<{ ticks: number }>("show", "a-1");

    expect(after.ticks).toBe(before.ticks);
  });
});

describe("millrace runs, show", () => {
  it("lists what is stored without loading the code, and shows a run with it", async () => {
    const project = createProject({ "joke.ts": joke });
    await project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"b"}', "--id", "one", "--label", "team=red");
    await project.call("run", "joke.ts#AskFlow", "--id", "two");
    project.write("joke.ts", "this is no code");

    const all = await project.json<{ runs: { run_id: string; status: string }[] }>("runs");
    const red = await project.json<{ runs: { run_id: string }[] }>("runs", "--label", "team=red");
    const waiting = await project.call("runs", "--status", "waiting");
    const raw = await project.call("show", "one", "--history");
    project.write("joke.ts", joke);
    const shown = await project.call("show", "two");
    const past = await project.json<{ state: object; attempts: { step: string }[] }>("show", "one", "--at", "1");

    expect(all.runs.map(({ run_id, status }) => [run_id, status])).toEqual([
      ["two", "waiting"],
      ["one", "completed"],
    ]);
    expect(red.runs.map(({ run_id }) => run_id)).toEqual(["one"]);
    expect(waiting.stdout).toMatch(/^two {2}AskFlow {2}waiting {2}/);
    expect(raw.stderr).toContain("SYNTAX_INVALID");
    expect(raw.stdout).toMatch(/ run\.started {8}\(cli\) {2}\w+ \{/);
    expect(shown.stdout).toContain("question: Go on?");
    expect(shown.stdout).toContain("◌ ask  waiting  for an event");
    expect(past.attempts.map(({ step }) => step)).toEqual(["write", "judge"]);
    expect(past.state).toEqual({});
  });

  it("shows, and compares, a run that has not begun", async () => {
    const project = createProject({ "joke.ts": joke });
    const file = join(project.folder, "runs.db");
    const AskFlow = defineWorkflow("AskFlow")
      .step("ask", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
      .build();
    const runtime = createRuntime({ workflows: { AskFlow }, store: sqliteStore(file), execute: false });
    await Promise.all(["one", "two"].map((runId) => runtime.run("AskFlow", {}, { runId }).accepted));
    await runtime.stop();

    const where = ["--store", file, "--file", "joke.ts"];
    const shown = await project.call("show", "one", "--state", ...where);
    const compared = await project.call("diff", "one", "two", ...where);

    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("AskFlow  one"), stderr: "" });
    expect(compared).toMatchObject({ code: 0, stderr: "" });
  });

  it("says what is unknown", async () => {
    const project = createProject({ "joke.ts": joke });

    const noStore = await project.call("runs");
    await project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"b"}', "--id", "one");
    const noRun = await project.call("show", "nobody");
    const noStatus = await project.call("runs", "--status", "odd");
    const noCode = await project.call("resume", "nobody");

    expect(noStore).toMatchObject({ code: 2, stderr: expect.stringContaining("FILE_UNKNOWN  There is no store") });
    expect(noRun).toMatchObject({ code: 1, stderr: expect.stringContaining("RUN_UNKNOWN") });
    expect(noStatus).toMatchObject({ code: 2, stderr: expect.stringContaining("OPTION_INVALID") });
    expect(noCode).toMatchObject({ code: 1, stderr: expect.stringContaining("RUN_UNKNOWN") });
  });
});
