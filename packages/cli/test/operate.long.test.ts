/** Queues, schedules and workers in a terminal, beside a server over the same store. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject, type Project, type Running } from "./support/project.js";

const flow = `
import { defineWorkflow, StartEvent, StopEvent } from "millrace";

export const work = defineWorkflow("work")
  .step("work", { on: StartEvent, emits: StopEvent }, async (ev) => {
    if (ev.get("slow") === true) await new Promise((resolve) => setTimeout(resolve, 600_000));
    return new StopEvent({ result: ev.get("of") });
  })
  .build();
`;
const config = `
import { defineConfig } from "@millrace/cli";

export default defineConfig({
  workflows: "flows",
  runtime: { leaseMs: 1_500, queues: { mail: { concurrency: 1 } } },
  schedules: { nightly: { cron: "0 2 * * *", workflow: "work", input: { of: "night" } } },
  server: { queueOf: () => ({ queue: "mail" }) },
});
`;

function createConfigured(): Project {
  const project = createProject({ "flows/work.ts": flow, "millrace.config.ts": config });
  const scope = join(project.folder, "node_modules/@millrace");
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(import.meta.dirname, ".."), join(scope, "cli"));
  return project;
}

async function urlOf(server: Running): Promise<string> {
  await expect.poll(() => server.lines()[0] || server.child.exitCode !== null, { timeout: 120_000 }).toBeTruthy();
  const [, url] = /(http:\/\/[^/\s]+)/.exec(server.lines().join("\n")) ?? [];
  if (url === undefined) throw new Error(server.said());
  return url;
}

it("says what waits, pauses, limits, edits and starts, and who is alive", { timeout: 300_000 }, async () => {
  const project = createConfigured();
  const server = project.start("serve", "--port", "0");
  const url = await urlOf(server);
  const start = async (id: string) =>
    fetch(`${url}/workflows/work/run-nowait`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ start_event: { slow: true }, handler_id: id }),
    });
  for (const id of ["w-1", "w-2", "w-3"]) expect((await start(id)).status).toBeLessThan(300);
  const json = async (...args: string[]) => JSON.parse((await project.call(...args, "--json")).stdout);
  await expect.poll(() => json("queues"), { timeout: 60_000 }).toMatchObject({ queues: [{ placed: 1, waiting: 2 }] });

  const listed = await project.call("queues");
  expect(listed.stdout).toMatch(/^QUEUE +WAITING +OLDEST +PLACES +LIMITS +WORKERS$/m);
  expect(listed.stdout).toMatch(/^mail +2 +.*1 +1 at once +1$/m);
  expect((await project.call("runs", "--status", "queued")).stdout.match(/queued/g)).toHaveLength(2);
  expect((await project.call("queues", "mail")).stdout).toMatch(/\(no key\) +2, the oldest for/);
  expect((await project.call("queues", "pause", "mail")).stdout).toMatch(/state +paused/);
  const limited = await project.call("queues", "limit", "mail", "--concurrency", "3", "--rate", "90/1m");
  expect(limited.stdout).toMatch(/limits +3 at once, 90 in 1 m\nconfigured +1 at once/);
  expect(await project.call("queues", "limit", "mail", "--concurrency", "0", "--rate", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--concurrency.*--rate/s),
  });
  expect(await project.call("queues", "pause", "nail")).toMatchObject({ code: 1 });
  // Through the server, too.
  expect(await json("queues", "resume", "mail", "--url", url)).toMatchObject({
    paused: false,
    limits: { concurrency: 3 },
  });
  await expect.poll(() => json("queues", "mail"), { timeout: 60_000 }).toMatchObject({ placed: 3, waiting: 0 });

  const edited = await project.call("schedules", "edit", "nightly", "--cron", "0 4 * * *");
  expect(edited.stdout).toMatch(/cron +0 4 \* \* \* \(edited; was 0 2 \* \* \*\)/);
  expect((await project.call("schedules")).stdout).toMatch(/^nightly +work +0 4 \* \* \* +UTC +.*edited$/m);
  expect((await json("schedules", "nightly")).next).toHaveLength(5);
  const { handler_id: id } = await json("schedules", "start", "nightly", "--url", url);
  await expect.poll(() => json("show", id), { timeout: 60_000 }).toMatchObject({ status: "completed" });
  expect((await project.call("schedules", "pause", "nightly")).stdout).toMatch(/state +paused/);
  expect((await project.call("schedules", "reset", "nightly")).stdout).not.toContain("edited");
  expect(await project.call("schedules", "none")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("SCHEDULE_UNKNOWN"),
  });

  const alive = await project.call("workers");
  expect(alive.stdout).toMatch(new RegExp(`:${server.child.pid} +alive .* mail$`, "m"));
  server.child.kill("SIGKILL");
  await expect.poll(async () => (await project.call("workers")).stdout, { timeout: 60_000 }).toContain("gone");
  expect((await project.call("queues", "mail")).stdout).toContain("none: nobody takes its runs");
});
