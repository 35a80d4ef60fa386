/** `millrace.config.ts`: what it says holds for every command. */
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { joke } from "./support/flows.js";
import { createProject, type Project, type Running } from "./support/project.js";

const config = `
import { defineConfig } from "@millrace/cli";
import { sqliteStore } from "@millrace/sqlite";
import { bearerAuth } from "@millrace/server";
import { encryptedStore } from "millrace/runtime";

export default defineConfig({
  workflows: "flows",
  store: () => encryptedStore(sqliteStore("own.db"), { keys: [{ id: "k", key: new Uint8Array(32).fill(1) }] }),
  runtime: { queues: { mail: { concurrency: 2 } } },
  schedules: { nightly: { cron: "0 2 * * *", workflow: "JokeFlow", input: { topic: "night" }, queue: "mail" } },
  server: { auth: bearerAuth({ tokens: [{ token: "config-token", client: "ada" }] }), schedules: true },
});
`;

/** As an install leaves it: packages are found from the folder of the project. */
function createConfigured(text: string): Project {
  const project = createProject({ "flows/joke.ts": joke, "millrace.config.ts": text });
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

it("says what is served, over which store, with which queues, schedules and credentials", async () => {
  const project = createConfigured(config);

  const ran = await project.call("run", "flows/joke.ts#JokeFlow", "-i", '{"topic":"pirate"}', "--id", "j-1");
  const listed = await project.call("runs");
  const vacuumed = await project.call("store", "vacuum");
  const server = project.start("serve", "--port", "0");
  const url = await urlOf(server);
  const ask = async (path: string) =>
    (await fetch(`${url}${path}`, { headers: { authorization: "Bearer config-token" } })).json();
  const { schedules } = (await ask("/schedules")) as { readonly schedules: readonly object[] };
  const stranger = await fetch(`${url}/handlers`);

  expect(ran).toMatchObject({ code: 0 });
  expect(listed.stdout).toMatch(/^j-1 {2}JokeFlow {2}completed/);
  expect(existsSync(join(project.folder, "own.db"))).toBe(true);
  expect(existsSync(join(project.folder, ".millrace/runs.db"))).toBe(false);
  expect(vacuumed).toMatchObject({ code: 1, stderr: expect.stringContaining("STORE_UNSUPPORTED") });
  expect(await ask("/workflows")).toMatchObject({ workflows: expect.arrayContaining(["JokeFlow"]) });
  expect(schedules).toMatchObject([{ name: "nightly", cron: "0 2 * * *", queue: { name: "mail" } }]);
  expect(await ask("/handlers/j-1")).toMatchObject({ status: "completed" });
  expect(stranger.status).toBe(401);
  expect(server.said()).toContain("the store of the config");

  // The deletion is in the audit, in the store that the config opens.
  const headers = { authorization: "Bearer config-token" };
  const deleted = await fetch(`${url}/handlers/j-1/cancel?purge=true`, { method: "POST", headers });
  expect(deleted.status).toBe(200);
  const who = await project.call("audit", "--user", "ada");
  const others = await project.call("audit", "--user", "grace", "--json");
  expect(who.stdout).toMatch(/^\d{4}-\d\d-\d\d .* {2}ada {2}http {2}(cancel|delete) {2}j-1 {2}JokeFlow$/m);
  expect(JSON.parse(others.stdout)).toEqual({ entries: [], cursor: null });
});

it("is loaded again by dev when it changes", async () => {
  const of = (tokens: string) => config.replace('"config-token"', tokens);
  const project = createConfigured(of('"one"'));
  const server = project.start("dev", "--port", "0");
  const url = await urlOf(server);
  const statusFor = async (token: string): Promise<number> =>
    fetch(`${url}/handlers`, { headers: { authorization: `Bearer ${token}` } }).then(
      ({ status }) => status,
      () => 0,
    );

  expect(await statusFor("one")).toBe(200);
  project.write("millrace.config.ts", of('"two"'));
  await expect.poll(() => statusFor("two"), { timeout: 60_000 }).toBe(200);
  expect(await statusFor("one")).toBe(401);
});

it("refuses what it does not know, all problems at once", async () => {
  const text = "export default { stores: 1, workflows: 2, schedules: null, server: [] };";
  const project = createProject({ "joke.ts": joke, "millrace.config.ts": text });

  const served = await project.call("serve", "joke.ts");
  const listed = await project.call("runs");

  const expected =
    /^OPTION_INVALID.*millrace\.config\.ts: `stores` is not an option; `workflows` is not a path; `schedules` is not an object; `server` is not an object\./;
  expect(served).toMatchObject({ code: 2, stderr: expect.stringMatching(expected) });
  expect(listed).toMatchObject({ code: 2, stderr: expect.stringMatching(expected) });
});

it.each([
  ['() => { throw new Error("no database"); }', 1, "CODE_FAILED  The config could not open its store: no database."],
  ["async () => null", 2, "OPTION_INVALID  `store` of the config returned null."],
])("says whose fault it is where the store is %s", async (store, code, said) => {
  const text = `export default { store: ${store} };`;
  const project = createProject({ "joke.ts": joke, "millrace.config.ts": text });

  expect(await project.call("runs")).toMatchObject({ code, stderr: expect.stringContaining(said) });
});

it.each([
  ["a promise (cosmiconfig#134)", "millrace.config.ts", "export default Promise.resolve({ stores: 1 });"],
  ["of a CommonJS module (lost-pixel#216)", "millrace.config.cjs", "module.exports = { stores: 1 };"],
])("is read where it is %s", async (_name, file, text) => {
  const project = createProject({ "joke.ts": joke, [file]: text });

  const listed = await project.call("runs");

  expect(listed).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}: \`stores\` is not an option.`) });
});
