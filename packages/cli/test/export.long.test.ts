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
