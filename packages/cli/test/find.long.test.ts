/** Runs that are found by their input and by the version of the program. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { createProject, plainEnv } from "./support/project.js";

const refund = `import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
class Refund extends StartEvent.define("Refund", { order: z.string() }) {}
export const refund = defineWorkflow("refund", { index: { order: ({ order }: Refund) => order } })
  .step("pay", { on: Refund, emits: StopEvent }, ({ order }) => new StopEvent({ result: order }))
  .build();
`;
const config = `export default { runtime: { version: "1.5.0" } };
`;

it("`runs --where` finds them in a store, without the code of their workflow, and `show` prints the version", async () => {
  const project = createProject({
    "refund.ts": refund,
    "millrace.config.ts": config,
  });
  for (const order of ["A-7", "A-8"])
    await project.call("run", "refund.ts", "--input", JSON.stringify({ order }), "--id", `of-${order}`);
  const found = async (where: string): Promise<string[]> => {
    const { runs } = await project.json<{ runs: { run_id: string }[] }>("runs", "--where", where);
    return runs.map(({ run_id }) => run_id);
  };

  expect(await found("input.order=A-7")).toEqual(["of-A-7"]);
  expect(await found("input.order=A-8 version:1.5.0 status:completed workflow:refund")).toEqual(["of-A-8"]);
  expect(await found("version:1.4.0")).toEqual([]);
  expect((await project.call("show", "of-A-7")).stdout).toContain("version 1.5.0");
  expect(await project.json("show", "of-A-7")).toMatchObject({ version: "1.5.0" });
});

it("`serve` takes the revision of the repository, and says that files differ from it", async () => {
  const project = createProject({ "refund.ts": refund, ".gitignore": ".millrace\n" });
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: project.folder, encoding: "utf8" });
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "first");
  const revision = git("rev-parse", "--short=12", "HEAD").trim();
  const versionOf = async (id: string): Promise<unknown> => {
    const server = project.start("serve", "refund.ts", "--port", "0");
    await expect.poll(() => server.lines()[0], { timeout: 120_000 }).toMatch(/^http/);
    const url = server.lines()[0] as string;
    const body = JSON.stringify({ handler_id: id, start_event: { order: id } });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/workflows/refund/run`, { method: "POST", headers, body });
    server.child.kill("SIGTERM");
    await expect.poll(() => server.child.exitCode).toBe(0);
    return ((await answer.json()) as { version: unknown }).version;
  };

  expect(await versionOf("clean")).toBe(revision);
  project.write("refund.ts", `${refund}// changed\n`);
  expect(await versionOf("dirty")).toBe(`${revision}-dirty`);
  expect(Object.keys(plainEnv())).not.toContain("MILLRACE_VERSION");
});
