/** One action on all runs that match. */
import { expect, it } from "vitest";
import { flaky, joke } from "./support/flows.js";
import { createProject, type Project } from "./support/project.js";
import { inTerminal } from "./support/pty.js";

async function failedRuns(project: Project, ids: readonly string[]): Promise<void> {
  for (const id of ids) await project.call("run", "flaky.ts", "--id", id, "--label", "team=berlin");
}

it("counts what it would retry, retries it with --yes, and says how many", { timeout: 120_000 }, async () => {
  const project = createProject({ "flaky.ts": flaky });
  await failedRuns(project, ["a", "b", "c"]);
  project.write("fixed", "it works");
  const where = ["--where", "status:failed label.team=berlin", "--file", "flaky.ts"];

  const dry = await project.call("retry", ...where);
  expect(dry).toMatchObject({
    code: 2,
    stdout: "3 runs would be retried.",
    stderr: "Nothing was done. Add `--yes`.\n",
  });
  expect((await project.call("runs", "--status", "failed")).stdout.split("\n")).toHaveLength(3);

  const done = await project.call("retry", ...where, "--yes");
  expect(done).toMatchObject({ code: 0, stdout: "3 retried, 0 skipped, 0 failed" });
  expect(
    (await project.call("runs", "--status", "completed", "--workflow", "FlakyFlow")).stdout.split("\n"),
  ).toHaveLength(3);

  expect(await project.call("retry", ...where, "--yes")).toMatchObject({
    code: 0,
    stdout: "0 retried, 0 skipped, 0 failed",
  });
  const none = await project.call("retry", ...where);
  expect(none).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("No run in") });
  const gone = await project.json<{ readonly type: string }>("delete", ...where.slice(0, 1), "workflow:FlakyFlow");
  expect(gone).toEqual({ type: "matching", action: "delete", count: 3, all: true });
  const deleted = await project.call("delete", "--where", "workflow:FlakyFlow", "--yes", "--rate", "1000");
  expect(deleted).toMatchObject({ code: 0, stdout: "3 deleted, 0 skipped, 0 failed" });
});

it("cancels runs, and takes it back", { timeout: 120_000 }, async () => {
  const project = createProject({ "joke.ts": joke });
  const server = project.start("serve", "joke.ts", "--port", "0");
  await expect.poll(() => server.lines()[0], { timeout: 60_000 }).toMatch(/^http/);
  const url = ["--url", server.lines()[0] as string];
  for (const id of ["a", "b", "c"]) await project.call("run", "AskFlow", "--id", id, "--detach", ...url);
  await project.call("cancel", "c", ...url);

  const cancelled = await project.call("cancel", "--where", "workflow:AskFlow", "--yes", ...url);
  expect(cancelled).toMatchObject({ code: 0, stdout: "2 cancelled, 0 skipped, 0 failed" });
  const [, job = ""] = /Take it back with: millrace resume --cancelled-by (\S+) --url/.exec(cancelled.stderr) ?? [];
  const dry = await project.call("resume", "--cancelled-by", job, ...url);
  expect(dry).toMatchObject({ code: 2, stdout: "2 runs would be resumed." });
  const undone = await project.call("resume", "--cancelled-by", job, "--yes", ...url);
  expect(undone).toMatchObject({ code: 0, stdout: "2 resumed, 0 skipped, 0 failed" });
  const { stdout } = await project.call("runs", "--status", "cancelled", ...url);
  expect(stdout.split("\n").filter(Boolean)).toHaveLength(1);
  const both = await project.call("resume", "a", "--cancelled-by", job, ...url);
  expect(both.stderr).toContain("`--where`, `--cancelled-by` and the id of a run exclude each other.");
  const none = await project.call("resume", "--cancelled-by", "a", ...url);
  expect(none.stderr).toContain('`cancelledBy` is "a", not a job of `cancel`');
});

it("cancels and answers on a server, and says what was skipped", { timeout: 120_000 }, async () => {
  const project = createProject({ "joke.ts": joke });
  const server = project.start("serve", "joke.ts", "--port", "0");
  await expect.poll(() => server.lines()[0], { timeout: 60_000 }).toMatch(/^http/);
  const url = ["--url", server.lines()[0] as string];
  for (const id of ["a", "b", "c"]) await project.call("run", "AskFlow", "--id", id, "--detach", ...url);

  const answered = await project.call(
    "answer",
    "--where",
    "status:waiting a",
    "-i",
    '{"approved":true}',
    "--yes",
    ...url,
  );
  expect(answered).toMatchObject({ code: 0, stdout: "1 answered, 0 skipped, 0 failed" });
  const wrong = await project.call("answer", "--where", "status:waiting b", "-i", '{"approved":"x"}', "--yes", ...url);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(/^0 answered, 0 skipped, 1 failed\nb {2}failed {2}EVENT_INVALID {2}/);
  const all = await project.call("cancel", "--where", "workflow:AskFlow", "--reason", "enough", "--yes", ...url);
  expect(all).toMatchObject({ code: 0, stdout: "2 cancelled, 0 skipped, 0 failed" });
  expect((await project.call("show", "b", ...url)).stdout).toContain("enough");
});

it("refuses what could mean more runs than were asked for", { timeout: 60_000 }, async () => {
  const project = createProject({ "flaky.ts": flaky });
  await failedRuns(project, ["a"]);
  const refused = async (...args: string[]) => {
    const { code, stderr } = await project.call(...args, "--yes", "--file", "flaky.ts");
    expect(code).toBe(2);
    return stderr.split("\n")[0];
  };
  expect(await refused("delete", "--where", " ")).toContain("`--where` has no condition.");
  expect(await refused("delete", "--where", "status:timedOut")).toContain("cannot be told from failed");
  expect(await refused("delete", "--where", "status:waiting status:failed")).toContain("stand alone");
  expect(await refused("delete", "--where", "statsu:failed")).toContain("`statsu:` is unknown");
  expect(await refused("delete", "a", "--where", "status:failed")).toContain("exclude each other");
  expect(await refused("delete")).toContain("No run is named.");
  expect((await project.call("runs")).stdout).toContain("a ");
});

it("asks a person", { timeout: 60_000 }, async () => {
  const project = createProject({ "flaky.ts": flaky });
  await failedRuns(project, ["a", "b"]);
  const args = ["delete", "--where", "status:failed"];
  const no = inTerminal(project.folder, args);
  await no.shows("Delete 2 runs in .millrace/runs.db that match");
  no.type("n");
  expect(await no.ended()).toBe(2);
  const yes = inTerminal(project.folder, args);
  await yes.shows("Delete 2 runs");
  yes.type("y");
  expect(await yes.ended()).toBe(0);
  expect(yes.text()).toContain("2 deleted, 0 skipped, 0 failed");
});
