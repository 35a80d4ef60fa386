/** The first program of the README, word for word, in a process of its own, asked as the README asks it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { killed } from "../../../test-kill.js";
import { readSse } from "./read-sse.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] as string;
const commands = /```sh\n(curl[\s\S]*?)```/.exec(readme)?.[1] as string;

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A folder inside of this package, so that the program finds its imports as an app does. */
function folderWithProgram(): string {
  mkdirSync(fileOf("../.reports"), { recursive: true });
  const folder = mkdtempSync(fileOf("../.reports/readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "server.ts"), program);
  return folder;
}

async function start(folder: string): Promise<{ readonly url: string; kill(): Promise<void> }> {
  const flags = ["--disable-warning=ExperimentalWarning", "--import", fileOf("child/readme.mjs")];
  const env = { ...process.env, TOKEN: "secret" };
  const child: ChildProcess = spawn(process.execPath, [...flags, "server.ts"], { cwd: folder, env });
  let said = "";
  child.stderr?.on("data", (data) => (said += data));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const line = await Promise.race([once(lines, "line"), once(child, "exit").then(() => [said])]);
  if (!/^port \d+$/.test(String(line[0]))) throw new TypeError(`the program did not start: ${line[0]}`);
  const kill = (): Promise<void> => killed(child);
  onTestFinished(kill);
  return { url: `http://127.0.0.1:${String(line[0]).slice("port ".length)}`, kill };
}

it("runs, answers what the README asks, and still knows it after a kill", async () => {
  const folder = folderWithProgram();
  const first = await start(folder);
  const [, path, body] = /localhost:8080(\S+)[\s\S]*?-d '(.*)'/.exec(commands) as unknown as [string, string, string];
  const headers = { authorization: "Bearer secret", "content-type": "application/json" };
  const post = await fetch(`${first.url}${path}`, { method: "POST", headers, body });
  const { handler_id: id } = (await post.json()) as { handler_id: string };
  expect(commands).toContain('"localhost:8080/events/<handler_id>"');
  const shown = [];
  for await (const { data } of readSse(await fetch(`${first.url}/events/${id}`, { headers }))) shown.push(data);
  expect((await fetch(`${first.url}/workflows`)).status).toBe(401);
  expect(shown).toMatchObject([{ type: "StopEvent", value: { result: "All about pirates." } }]);

  await first.kill();
  const second = await start(folder);
  const known = await fetch(`${second.url}/handlers/${id}`, { headers });
  expect(await known.json()).toMatchObject({
    status: "completed",
    result: { value: { result: "All about pirates." } },
  });
});
