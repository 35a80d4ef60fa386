/** What a command says where something is wrong around it: one message with a hint, and never a stack of ours. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { joke, slow } from "./support/flows.js";
import { type Answer, createProject } from "./support/project.js";

const stack = /^ +at /m;
const oneHint = /^[A-Z_]+ {2}[^\n]+\n(?: *>? *\d* \|[^\n]*\n)*hint {2}[^\n]+\n?$/;

function expectOneMessage({ code, stderr }: Answer, expected: { readonly code: number; readonly says: string }): void {
  expect(stderr).toMatch(oneHint);
  expect(stderr).not.toMatch(stack);
  expect(stderr).toContain(expected.says);
  expect(code).toBe(expected.code);
}

it("says of code that does not come to the end of its loading what it did", async () => {
  const project = createProject({
    "waits.ts": "await new Promise(() => {});",
    "exits.ts": "process.exit(0);",
    "late.ts": 'setTimeout(() => {\n  throw new Error("late");\n}, 1);\nawait new Promise(() => {});',
    "a folder's #1/throws.ts": 'throw new Error("boom");',
  });
  const { folder } = project;

  expectOneMessage(await project.call("run", "waits.ts"), { code: 1, says: "waits.ts waits, while it is loaded" });
  expectOneMessage(await project.call("check", "exits.ts"), { code: 1, says: "exits.ts has ended the process" });
  expectOneMessage(await project.call("run", "late.ts"), { code: 1, says: "It was thrown at late.ts:2:9." });
  expectOneMessage(await project.call("run", "a folder's #1/throws.ts"), { code: 1, says: "#1/throws.ts:1:7" });
  expectOneMessage(await project.call("run", folder), { code: 1, says: "WORKFLOW_MISSING" });
  const { stderr } = await project.call("check", "exits.ts", "--json");
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: "CODE_FAILED" } });
});

it("says of options what is wrong with them", async () => {
  const project = createProject({ "joke.ts": joke });

  expectOneMessage(await project.call("run", "joke.ts#JokeFlow", "-i", "@."), { code: 2, says: "EISDIR" });
  expectOneMessage(await project.call("runs", "--store", ""), { code: 2, says: '`--store` is ""' });
  expectOneMessage(await project.call("runs", "--url", "ftp://x"), { code: 2, says: "not the URL of a server" });
  expectOneMessage(await project.call("serve", "joke.ts", "--host", "192.0.2.1", "--port", "0"), {
    code: 2,
    says: "cannot listen at 192.0.2.1",
  });
  expect((await project.call("show", "-x")).stderr).toContain("Write `--` before an id");
});

it.each([
  ["a page", 200, "<html></html>", "RESPONSE_INVALID"],
  ["something else", 200, "{}", "RESPONSE_INVALID"],
  ["a refusal", 401, "no", "--token"],
  ["an error", 500, "<h1>oops</h1>", "REQUEST_REFUSED"],
])("says that a server answered with %s", async (_what, status, body, says) => {
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const project = createProject();

  expectOneMessage(await project.call("runs", "--url", url), { code: 1, says });
  expectOneMessage(await project.call("run", "Flow", "--url", url), { code: 1, says });
});

it("pauses a run whose output nobody reads any more", async () => {
  const project = createProject({ "slow.ts": slow });
  const { child, said } = project.start("run", "slow.ts", "--id", "s-1");
  child.stdout?.destroy();

  await once(child, "close");
  project.write("go", "");
  const resumed = await project.call("resume", "s-1");

  expect(child.exitCode).toBe(130);
  expect(said()).toContain("The output was closed.\n");
  expect(said()).not.toMatch(stack);
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/"version 1"$/) });
});

it("leaves no process behind that loads for ever", async () => {
  const code = 'import { writeFileSync } from "node:fs";\nwriteFileSync("pid", String(process.pid));\nfor (;;);';
  const project = createProject({ "loop.ts": code });
  const { child } = project.start("dev", "loop.ts", "--port", "0");
  const { readFile } = await import("node:fs/promises");
  const pid = (): Promise<number> => readFile(`${project.folder}/pid`, "utf8").then(Number, () => 0);
  await expect.poll(pid, { timeout: 120_000 }).toBeGreaterThan(0);
  const loading = await pid();

  child.kill("SIGINT");
  await once(child, "close");

  expect(child.exitCode).toBe(0);
  await expect.poll(() => isAlive(loading), { timeout: 30_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH
  }
}
