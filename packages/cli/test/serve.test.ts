/** The same commands against a server. */

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { joke } from "./support/flows.js";
import { createProject, type Project, type Running } from "./support/project.js";

async function urlOf(server: Running): Promise<string> {
  await expect.poll(() => server.lines()[0], { timeout: 120_000 }).toMatch(/^http/);
  return server.lines()[0] as string;
}

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const ask = (project: Project, url: string, ...args: string[]) =>
  project.call(...args, "--url", url, "--token", "secret-token");

it("runs, lists, shows, answers and cancels on a server", async () => {
  const project = createProject({ "joke.ts": joke });
  const server = project.start("serve", "joke.ts", "--port", "0", "--token", "secret-token");
  const url = await urlOf(server);

  const ran = await ask(project, url, "run", "JokeFlow", "-i", '{"topic":"pirate"}');
  const detached = await ask(project, url, "run", "AskFlow", "--id", "a-1", "--detach");
  const answered = await ask(project, url, "answer", "a-1", "-i", '{"approved":true}');
  const shown = await ask(project, url, "show", "a-1");
  const listed = await ask(project, url, "runs", "--workflow", "AskFlow");
  const stranger = await project.call("runs", "--url", url, "--token", "another");
  server.child.kill("SIGTERM");
  await expect.poll(() => server.child.exitCode).toBe(0);
  const gone = await ask(project, url, "runs");

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/completed after [\s\S]*\b26$/) });
  expect(detached).toMatchObject({ code: 0, stdout: "a-1" });
  expect(answered).toMatchObject({ code: 0, stdout: "accepted" });
  expect(ran.stdout.match(/^write {2}completed /gm)).toHaveLength(1);
  expect(shown.stdout).toMatch(/^AskFlow {2}a-1\n/);
  expect(shown.stdout).toMatch(/^. ask {2}/m);
  expect(listed.stdout).toMatch(/^a-1 {2}AskFlow {2}/);
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringMatching(/^UNAUTHORIZED/) });
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/^SERVER_UNREACHABLE/) });
});

it("refuses a port that is in use", async () => {
  const project = createProject({ "joke.ts": joke });
  const port = await takenPort();

  const taken = await project.call("serve", "joke.ts", "--port", String(port));

  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(`PORT_IN_USE  Port ${port} is in use.`) });
});
