/** The image and its compose file: linted, and what the image starts over a real PostgreSQL. A workflow of GitHub builds the image. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@millrace/client";
import { validate } from "dockerfile-utils";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { Server } from "../../packages/postgres/test/support/server.js";
import { freePort } from "../../test-ports.js";

const folder = import.meta.dirname;
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const dockerfile = read("Dockerfile");
const token = "secret";

/** The exec form of `CMD` or `HEALTHCHECK`. */
function commandOf(instruction: RegExp): readonly string[] {
  return JSON.parse(instruction.exec(dockerfile)?.[1] ?? "[]");
}

it("has no fault that a linter finds, and runs as a user without rights", () => {
  expect(validate(dockerfile)).toEqual([]);
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile.match(/^FROM (.*?)( AS |$)/gm)).toHaveLength(2);
});

it("gives the container longer than its steps have, and starts it after the database", () => {
  const { services } = parse(read("compose.yaml")) as {
    services: { millrace: Record<string, unknown>; postgres: Record<string, unknown> };
  };

  expect(services.millrace).toMatchObject({
    init: true,
    stop_grace_period: "20s",
    depends_on: { postgres: { condition: "service_healthy" } },
  });
  expect(services.postgres).toHaveProperty("healthcheck");
  expect(read("compose.yaml")).not.toMatch(/(PASSWORD|TOKEN): \w/);
});

it("continues over PostgreSQL what the container before has left", { timeout: 120_000 }, async () => {
  await using database = await Server.start();
  const port = await freePort();
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    headers: { authorization: `Bearer ${token}` },
  });
  const env = { ...process.env, PORT: String(port), MILLRACE_TOKEN: token, DATABASE_URL: database.url };

  const first = await container(env);
  await client.run("refund", { order: "A-17", euros: 80 }, { handlerId: "A-17" }).idle();
  first.kill("SIGTERM");
  const [ended] = await once(first, "exit");
  await container(env);
  const run = client.handle("A-17");
  const [prompt] = await run.prompts();
  await run.answer(prompt?.promptId ?? "", { approved: true });

  expect(ended).toBe(0);
  expect(await run).toBe("refunded A-17");
});

/** Resolves once the health check passes. */
async function container(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  // The program of this repository in place of the one that the image installs.
  const millrace = `node ${join(folder, "..", "..", "packages", "cli", "dist", "main.js")}`;
  const [shell = "", ...words] = commandOf(/^CMD (\[.*\])$/m).map((word) =>
    word.replace("node_modules/.bin/millrace", millrace),
  );
  const child = spawn(shell, words, { cwd: folder, env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [probe = "", ...args] = commandOf(/^HEALTHCHECK .*? CMD (\[.*\])$/m);
  await expect.poll(() => spawnSync(probe, args, { env }).status, { timeout: 60_000, interval: 300 }).toBe(0);
  return child;
}
