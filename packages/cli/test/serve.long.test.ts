/** The same commands against a server. */

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { joke, order } from "./support/flows.js";
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

it("refuses a page whose name leads to this computer", async () => {
  const project = createProject({ "joke.ts": joke });
  const url = await urlOf(project.start("serve", "joke.ts", "--port", "0"));
  const statusFor = async (host: string): Promise<number | undefined> => {
    const asked = get(`${url}/handlers`, { headers: { host } });
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };

  expect(await statusFor(new URL(url).host)).toBe(200);
  expect(await statusFor("pages.example")).toBe(403);
});

it("asks other computers for a token where dev serves the code of all steps", async () => {
  const project = createProject({ "joke.ts": joke });
  const server = project.start("dev", "joke.ts", "--port", "0", "--host", "0.0.0.0");
  await expect.poll(() => server.lines().join("\n"), { timeout: 120_000 }).toMatch(/localhost:\d+/);
  const lines = server.lines().join("\n");
  const url = /http:\/\/localhost:\d+/.exec(lines)?.[0] as string;
  const token = /^token (\S{24})$/m.exec(lines)?.[1] as string;
  const statusFor = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${url}${path}`, { headers })).status;

  for (const path of ["/handlers", "/workflows", "/workflows/JokeFlow/steps/write/source"]) {
    expect(await statusFor(path), path).toBe(401);
    expect(await statusFor(path, { authorization: `Bearer ${token}` }), path).not.toBe(401);
  }
});

it("refuses a port that is in use", async () => {
  const project = createProject({ "joke.ts": joke });
  const port = await takenPort();

  const taken = await project.call("serve", "joke.ts", "--port", String(port));

  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(`PORT_IN_USE  Port ${port} is in use.`) });
});

it("says of runs whose workflow the server no longer has what it knows, and where the rest is", async () => {
  const project = createProject({ "joke.ts": joke, "order.ts": order });
  await project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"a"}', "--id", "j 1");
  await project.call("run", "joke.ts#AskFlow", "--id", "j-2");
  const url = await urlOf(project.start("serve", "order.ts", "--port", "0"));

  const diff = await project.call("diff", "j 1", "j-2", "--url", url);
  const json = await project.call("diff", "j 1", "j 1", "--url", url, "--json");
  const shown = await project.call("show", "j 1", "--url", url);
  const history = await project.call("show", "j 1", "--history", "--url", url);

  expect(diff.code).toBe(1);
  expect(diff.stdout).toMatch(/^- j 1 {2}JokeFlow {2}completed\n\+ j-2 {2}AskFlow {2}running\n/);
  expect(diff.stdout).toMatch(/status\n {2}- "completed"\n {2}\+ "running"/);
  expect(diff.stderr).toMatch(/^WORKFLOW_UNKNOWN .* of the run j 1 \(JokeFlow\) and the run j-2 \(AskFlow\)/);
  expect(diff.stderr).toContain("millrace diff 'j 1' j-2 --store …");
  expect(JSON.parse(json.stdout)).toMatchObject({ ticks_compared: false, differences: [] });
  expect(json.code).toBe(1);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("JokeFlow  j 1\ncompleted after") });
  expect(history).toMatchObject({ code: 1, stderr: expect.stringContaining("of the run j 1 (JokeFlow)") });
});

it("says in one message what a server refuses", async () => {
  const project = createProject({ "joke.ts": joke });
  await project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"a"}', "--id", "j-1");
  const url = await urlOf(project.start("serve", "joke.ts", "--port", "0"));

  const refused = await project.call("resume", "j-1", "--url", url);

  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^RUN_FINISHED .*\nhint .*\n$/) });
});
