/** The first program of the README: two processes, killed where it hurts, and the model is asked once. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { signalsAt } from "./test/signals-at.js";
import { temporaryFolder } from "./test/temporary-folder.js";

const folder = fileURLToPath(new URL(".reports/readme", import.meta.url));
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const [, program = ""] = /^`refund\.ts`:\n\n```ts\n(.*?)^```/ms.exec(readme) ?? [];

function start(cwd: string, { answer, killAt }: { readonly answer?: string; readonly killAt?: RegExp } = {}): string {
  const killer = killAt === undefined ? [] : ["--import", signalsAt(killAt, "SIGKILL")];
  const args = [...killer, "--import", import.meta.resolve("tsx"), join(folder, "refund.ts")];
  const env = { ...process.env, OPENAI_API_KEY: "" };
  return spawnSync(process.execPath, answer === undefined ? args : [...args, answer], { cwd, env, encoding: "utf8" })
    .stdout;
}

it("asks the model once, and pays under one key, wherever it is killed", () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "refund.ts"), program);
  const cwd = temporaryFolder("readme-");

  const asked = start(cwd, { killAt: /waits for a person/ });
  const answered = start(cwd, { answer: "yes", killAt: /pays/ });
  const resumed = start(cwd, { answer: "yes" });
  const again = start(cwd);

  expect(asked).toBe("asks the model\nwaits for a person\n");
  expect(answered).toBe("pays 80 euros, letter-17:1:pay\n");
  expect(resumed).toBe("pays 80 euros, letter-17:1:pay\nrefunded\n"); // interrupted, so called again, with the same key
  expect(again).toBe("refunded\n");
});
