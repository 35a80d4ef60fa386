/** A run as a file, which somebody else opens, plays and continues. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunFile, readRunFile } from "@millrace/client/run-file";
import { recordingOf, replayRun } from "@millrace/testing";
import { Context } from "millrace";
import { expect, it } from "vitest";
import { refund } from "./projects/flows/ask.js";
import { ask } from "./support/flows.js";
import { createProject, type Project } from "./support/project.js";

/** A run with two children of different workflows. */
const family = `import { defineWorkflow, StartEvent, StopEvent } from "millrace";
const child = (name: string, word: string) =>
  defineWorkflow(name)
    .step("work", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: word + " " + ev.get("id") }))
    .build();
export const orders = defineWorkflow("orders", { children: { pack: child("pack", "packed"), bill: child("bill", "billed") } })
  .step("all", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) =>
    new StopEvent({ result: await Promise.all([ctx.runChild("pack", { id: "A" }), ctx.runChild("bill", { id: "B" })]) }))
  .build();
`;

/** Asks twice. */
const two = `import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
export const flow = defineWorkflow("two")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const { name: one } = await ctx.ask({ title: "Who?", schema: { name: z.string() } });
    const { name: other } = await ctx.ask({ title: "And who?", schema: { name: z.string() } });
    return new StopEvent({ result: one + " and " + other });
  })
  .build();
`;

const fileOf = (project: Project, name: string): Promise<RunFile> =>
  readRunFile(new Uint8Array(readFileSync(join(project.folder, name))));

async function asked(): Promise<Project> {
  const project = createProject({ "flows/ask.ts": ask });
  await project.call("run", "flows/ask.ts", "--id", "refund/1");
  return project;
}

it("writes the run without its texts, and leaves it where it is", async () => {
  const project = await asked();

  const made = await project.call("export", "refund/1", "--redact", "order");
  const named = await project.json<object>("export", "refund/1", "-o", "a.run");

  expect(made).toMatchObject({ code: 0, stdout: "refund-1.run" });
  expect(JSON.stringify(await fileOf(project, "refund-1.run"))).not.toContain("A-17");
  expect(JSON.stringify(await fileOf(project, "a.run"))).toContain("A-17");
  expect(named).toEqual({ file: "a.run", bytes: expect.any(Number), ticks: expect.any(Number) });
  expect(await project.call("answer", "refund/1", "-i", '{"approved":true}')).toMatchObject({ code: 0 });
});

it("is continued by whoever has the code", async () => {
  const project = await asked();
  await project.call("export", "refund/1", "-o", "a.run");
  const { snapshot } = await fileOf(project, "a.run");

  const handler = refund.resume(Context.fromDict(refund, snapshot));
  const outcome = await handler.idle();
  if (outcome.status === "waiting") await handler.answer(outcome.prompts[0]?.promptId ?? "", { approved: true });

  expect(await handler).toBe("refunded");
});

it("is played again, offline, once the run has ended", async () => {
  const project = await asked();
  await project.call("answer", "refund/1", "-i", '{"approved":true}');
  await project.call("export", "refund/1", "-o", "a.run");

  const { result, differences } = await replayRun(refund, recordingOf(await fileOf(project, "a.run")));

  expect({ result, differences }).toEqual({ result: "refunded", differences: [] });
});

it("is shown by a page of this computer", async () => {
  const project = await asked();
  await project.call("export", "refund/1", "-o", "a.run");

  mkdirSync(join(project.folder, "node_modules", "@millrace"), { recursive: true });
  symlinkSync(
    join(import.meta.dirname, "..", "..", "studio"),
    join(project.folder, "node_modules", "@millrace", "studio"),
  );
  const { child, lines } = project.start("open", "a.run", "--port", "0");
  await expect.poll(() => lines()[0], { timeout: 20_000 }).toMatch(/^http/);
  const url = new URL(lines()[0] as string);
  const page = await fetch(url);
  const bytes = await fetch(new URL("a.run", url));
  const other = await fetch(new URL("package.json", url));

  expect(url.hash).toBe("#/run/refund%2F1");
  expect(await page.text()).toContain("Open a run");
  expect(new Uint8Array(await bytes.arrayBuffer())).toEqual(
    new Uint8Array(readFileSync(join(project.folder, "a.run"))),
  );
  expect(other.status).toBe(404);
  child.kill("SIGTERM");
});

it("goes back into a store, with its history, and continues there", async () => {
  const project = await asked();
  await project.call("export", "refund/1", "-o", "a.run");
  const before = await project.json<{ history: object[] }>("show", "refund/1", "--history");

  const imported = await project.call("import", "a.run", "--store", "other.db");
  const again = await project.call("import", "a.run", "--store", "other.db");
  const after = await project.json<{ history: object[] }>("show", "refund/1", "--history", "--store", "other.db");
  await project.call("resume", "refund/1", "--store", "other.db");
  const answered = await project.call("answer", "refund/1", "-i", '{"approved":true}', "--store", "other.db");

  expect(imported).toMatchObject({ code: 0, stdout: "refund/1" });
  expect(imported.stderr).toContain("millrace resume refund/1 --store other.db");
  expect(again.stdout).toBe("refund/1 was imported before");
  expect(after.history).toEqual(before.history);
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining("refunded") });
});

it("goes back into a store after it was continued without one", async () => {
  const project = createProject({ "flows/two.ts": two });
  await project.call("run", "flows/two.ts", "--id", "t-1");
  await project.call("export", "t-1", "-o", "a.run");
  const file = await fileOf(project, "a.run");
  const { flow } = await import(join(project.folder, "flows/two.ts"));
  const handler = flow.resume(Context.fromDict(flow, file.snapshot));
  const [first] = ((await handler.idle()) as { prompts: { promptId: string }[] }).prompts;
  await handler.answer(first?.promptId ?? "", { name: "Ada" });
  await handler.idle();
  project.write("b.run", JSON.stringify({ ...file, snapshot: handler.context.toDict() }));

  const imported = await project.call("import", "b.run", "--store", "other.db");
  await project.call("resume", "t-1", "--store", "other.db");
  const ended = await project.call("answer", "t-1", "-i", '{"name":"Bob"}', "--store", "other.db");

  expect(imported).toMatchObject({ code: 0, stdout: "t-1" });
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Ada and Bob") });
  await handler.cancel();
});

it("goes into a store once it has ended, with its end and its children", async () => {
  const project = createProject({ "flows/family.ts": family });
  const ran = await project.call("run", "flows/family.ts#orders", "--id", "o-1");
  await project.call("export", "o-1", "-o", "a.run");
  const imported = await project.call("import", "a.run", "--store", "other.db");
  const shown = await project.json<{ status: string; result: unknown; attempts: { run_id: string }[] }>(
    ...["show", "o-1", "--store", "other.db"],
  );

  expect(ran).toMatchObject({ code: 0 });
  expect(imported).toMatchObject({ code: 0, stdout: "o-1" });
  expect(imported.stderr).toContain("Look at it with: millrace show o-1 --store other.db.");
  expect(shown).toMatchObject({ status: "completed", result: ["packed A", "billed B"] });
  expect(new Set(shown.attempts.map(({ run_id }) => run_id)).size).toBe(3);
});

it("is not imported without its texts, or over a run that is there", async () => {
  const project = await asked();
  await project.call("export", "refund/1", "-o", "hidden.run", "--redact", "order");
  await project.call("export", "refund/1", "-o", "a.run");

  const hidden = await project.call("import", "hidden.run", "--store", "other.db");
  const there = await project.call("import", "a.run");

  expect(hidden).toMatchObject({ code: 1, stderr: expect.stringContaining("RUN_FILE_UNFIT") });
  expect(hidden.stderr).toContain("Export the run again without `--redact`.");
  expect(there).toMatchObject({ code: 1, stderr: expect.stringContaining("RUN_ID_CONFLICT") });
});

it("says what it cannot show or write", async () => {
  const project = await asked();
  writeFileSync(join(project.folder, "b.run"), "{}");

  expect(await project.call("open", "b.run")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("RUN_FILE_INVALID"),
  });
  expect(await project.call("open", "c.run")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("FILE_UNKNOWN"),
  });
  mkdirSync(join(project.folder, "d.run"));
  expect(await project.call("open", "d.run")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("d.run cannot be read: EISDIR"),
  });
  // Here, "flows" is the id of a run: a folder is no file to show.
  expect(await project.call("open", "flows")).toMatchObject({ stderr: expect.not.stringContaining("EISDIR") });
  expect(await project.call("export", "nobody")).toMatchObject({ stderr: expect.stringContaining("nobody") });
});
