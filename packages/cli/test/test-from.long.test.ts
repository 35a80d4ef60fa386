/** A run becomes a test, which a real Vitest runs in the project of its author. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ask, joke, pipeline } from "./support/flows.js";
import { type Answer, createProject, type Project, plainEnv } from "./support/project.js";

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

function test(project: Project, file: string): Promise<Answer> {
  return new Promise((resolve) => {
    const args = [vitest, "run", "--root", project.folder, "--config", "none.config.ts", file];
    execFile(
      process.execPath,
      args,
      { cwd: project.folder, env: plainEnv({ NO_COLOR: "1" }) },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

it("passes, and fails with the first difference once the code takes another way", async () => {
  const project = createProject({ "flows/ask.ts": ask, "none.config.ts": "export default {};" });
  await project.call("run", "flows/ask.ts", "--id", "refund/1");
  await project.call("answer", "refund/1", "-i", '{"approved":true}');

  const made = await project.call("test-from", "refund/1", "-o", "test", "--redact", "order");
  const passed = await test(project, "test/refund-1.test.ts");
  project.write("flows/ask.ts", ask.replace('"refunded"', '"paid back"'));
  const failed = await test(project, "test/refund-1.test.ts");
  const again = await project.json<object>("test-from", "refund/1", "-o", "test");

  expect(made).toMatchObject({ code: 0, stdout: "test/refund-1.run.json\ntest/refund-1.test.ts" });
  expect(made.stderr).toContain("npx vitest run test/refund-1.test.ts");
  expect(passed).toMatchObject({ code: 0, stdout: expect.stringContaining("1 passed") });
  expect(failed.code).toBe(1);
  const output = failed.stdout + failed.stderr;
  expect(output).toContain(
    'The code takes a different path than in the run "refund/1": Step "ask" came to another result:',
  );
  expect(output).toContain('-   result: "refunded"');
  expect(output).toContain('+   result: "paid back"');
  expect(again).toEqual({ recording: "test/refund-1.run.json", test: "test/refund-1.test.ts", new: false });
});

it("is made of classes and of pipelines", async () => {
  const project = createProject({ "joke.ts": joke, "pipeline.ts": pipeline, "none.config.ts": "export default {};" });
  await project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"b"}', "--id", "joke-1");
  await project.call("run", "pipeline.ts", "-i", '"stones"', "--id", "deep-1");

  for (const id of ["joke-1", "deep-1"]) {
    expect(await project.call("test-from", id)).toMatchObject({ code: 0, stdout: `${id}.run.json\n${id}.test.ts` });
    const { stdout, stderr, code } = await test(project, `${id}.test.ts`);
    expect([id, code, stdout + stderr]).toEqual([id, 0, expect.stringContaining("1 passed")]);
  }
});

it("is made of runs that have failed or were cancelled", async () => {
  const flows = `import { Pipeline, Step } from "@millrace/pipeline";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
export const pays = defineWorkflow("pays")
  .step("pay", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const id = await ctx.run("charge", () => "c-" + Date.now());
    const { fails } = await ctx.ask({ title: "Fails?", schema: z.object({ fails: z.boolean() }) });
    if (fails) throw new RangeError("too heavy: " + id);
    return new StopEvent({ result: id });
  })
  .build();
const publish = new Step({
  name: "publish",
  executor: (_input, { sessionState }) => {
    sessionState.count = (sessionState.count ?? 0) + 1;
    (sessionState.list ??= []).push("a");
    throw new TypeError("no body");
  },
});
export const article = new Pipeline({ name: "Article", steps: [() => "draft", new Pipeline({ name: "Inner", steps: [publish] })] });
`;
  const project = createProject({ "flows.ts": flows, "none.config.ts": "export default {};" });
  await project.call("run", "flows.ts#pays", "--id", "failed");
  await project.call("answer", "failed", "-i", '{"fails":true}');
  await project.call("run", "flows.ts#pays", "--id", "cancelled");
  await project.call("cancel", "cancelled", "--reason", "enough");
  await project.call("run", "flows.ts#article", "-i", '"dams"', "--id", "pipeline");

  for (const id of ["failed", "cancelled", "pipeline"]) {
    expect(await project.call("test-from", id)).toMatchObject({ code: 0 });
    const { stdout, stderr, code } = await test(project, `${id}.test.ts`);
    expect([id, code, stdout + stderr]).toEqual([id, 0, expect.stringContaining("1 passed")]);
  }

  project.write("flows.ts", flows.replace("too heavy", "too light").replace("no body", "no title"));
  for (const id of ["failed", "pipeline"]) {
    const { stdout, stderr } = await test(project, `${id}.test.ts`);
    expect(stdout + stderr).toContain(`takes a different path than in the run "${id}"`);
  }
});

it("is the same that `dev` makes", async () => {
  const project = createProject({ "flows/ask.ts": ask, "none.config.ts": "export default {};" });
  await project.call("run", "flows/ask.ts", "--id", "refund-1");
  await project.call("answer", "refund-1", "-i", '{"approved":true}');
  await project.call("test-from", "refund-1", "-o", "test", "--redact", "order");
  const server = project.start("dev", "flows/ask.ts", "--port", "0");
  const address = /http:\/\/[^\s/]+/;
  await expect.poll(() => server.lines().join("\n"), { timeout: 120_000 }).toMatch(address);
  const url = address.exec(server.lines().join("\n"))?.[0];
  const get = async (path: string) => (await fetch(`${url}${path}`)).json();

  const files = ["recording", "test"].map((part, index) => {
    const path = ["test/refund-1.run.json", "test/refund-1.test.ts"][index] as string;
    return [part, { path, text: readFileSync(join(project.folder, path), "utf8") }];
  });
  expect(await get("/handlers/refund-1/test?redact=order")).toEqual(Object.fromEntries(files));
  expect(await get("/studio/config")).toMatchObject({ tests: true });
  expect(await get("/handlers/none/test")).toMatchObject({ code: "RUN_UNKNOWN" });
});

it("says what it cannot be made of", async () => {
  const project = createProject({ "flows/ask.ts": ask });
  await project.call("run", "flows/ask.ts", "--id", "open");

  expect(await project.call("test-from", "open")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The run "open" cannot be recorded: it has not ended.'),
  });
  expect((await project.call("test-from", "nothing")).stderr).toContain("RUN_UNKNOWN");
});
