import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { isDead, thisProcess } from "./machine.js";

it("knows this process to be alive", () => {
  expect(isDead(thisProcess)).toBe(false);
});

it("knows a process that has ended to be dead", () => {
  const { pid } = spawnSync(process.execPath, ["--eval", ""]);

  expect(isDead({ ...thisProcess, pid, started: null })).toBe(true);
});

it("takes a process for alive that it cannot ask about", () => {
  const { pid } = spawnSync(process.execPath, ["--eval", ""]);

  expect(isDead({ machine: "another machine", pid, started: null })).toBe(false);
});

it("takes another living process for alive when its start is not known", async () => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");

  const verdict = isDead({ ...thisProcess, pid: child.pid as number, started: null });
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;

  expect(verdict).toBe(false);
});

it("takes a process whose id has gone to another one for dead", () => {
  const earlier = { ...thisProcess, started: thisProcess.started === null ? null : "1" };

  expect(isDead(earlier)).toBe(thisProcess.started !== null);
});
