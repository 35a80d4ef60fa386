/** What recorded functions do through `ctx` counts once over a kill -9, and what a step has asked stays asked. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Child } from "./child/process.js";
import { temporaryDirectory } from "./files.js";

it("what a recorded call has sent and edited is there after a kill right behind its record", {
  timeout: 60_000,
}, async () => {
  const directory = temporaryDirectory();
  const [path, log] = [join(directory, "runs.db"), join(directory, "log")];
  const first = new Child("call-worker.ts", [path, log, "hold"]);
  expect(await first.line()).toBe("recorded");
  await first.kill();
  const second = new Child("call-worker.ts", [path, log, "end"]);
  expect(await second.line()).toBe("recorded");

  const came = ["edit", "edit", "edit in run", "run", "scope 0", "scope 1"];
  expect(JSON.parse(await second.line())).toEqual(came);
  expect(readFileSync(log, "utf8")).toBe("charge\none:1/@shop/charge\none:1/@shop/@till/charge\n");
});

it("a question of `ctx.ask` is the same after a kill, and its answer is checked by the process that runs its step", {
  timeout: 60_000,
}, async () => {
  const directory = temporaryDirectory();
  const [path, log] = [join(directory, "runs.db"), join(directory, "log")];
  const first = new Child("ask-worker.ts", [path, log, "hold"]);
  const asked = await first.line();
  await first.kill();
  const second = new Child("ask-worker.ts", [path, log, "end"]);

  expect(await second.line()).toBe(asked);
  expect(await second.line()).toBe("EVENT_INVALID");
  expect(await second.line()).toBe("80 true");
  expect(readFileSync(log, "utf8")).toBe("price\n");
});

it("what a call has written before a kill is taken back when it begins again, and what others have written stays", {
  timeout: 60_000,
}, async () => {
  const path = join(temporaryDirectory(), "runs.db");
  const first = new Child("pieces-worker.ts", [path, "hold"]);
  expect(await first.line()).toBe("shown");
  await first.kill();
  const second = new Child("pieces-worker.ts", [path, "end"]);
  expect(await second.line()).toBe("shown");

  const words = Array.from({ length: 10 }, (_, word) => `end ${word} `).join("");
  expect(JSON.parse(await second.line())).toEqual({ texts: { "run=done": "kept", "run=answer": words }, left: 2 });
});
