/** Kills the process of an agent at random moments until its run has ended, and counts the calls. */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killed } from "../../../../test-kill.js";
import type { Mode, World } from "./agent-flows.js";
import { countingModel } from "./counting-model.js";
import { startScript } from "./scripts.js";

export interface Survival {
  readonly kills: number;
  readonly seed: number;
  /** What happens at each of the moments. @default the process is killed, and started anew */
  strike?(child: ChildProcess): Promise<void>;
  /** Starts the process. `ended` is called with the result of the run. */
  start(world: World, ended: (result: string) => void): Promise<ChildProcess>;
}

export interface Seen {
  readonly result: string;
  readonly killed: number;
  /** Calls of the model. */
  readonly asked: number;
  /** Calls of tools, by what the model asked for. */
  readonly tools: number;
  /** The same with the keys under which they were made. */
  readonly keys: number;
  readonly executions: number;
}

export async function survive({ kills, seed, start, strike = killed }: Survival): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), "agent-"));
  const log = join(folder, "log");
  await using model = await countingModel();
  const random = randomFrom(seed);
  let result: string | null = null;
  let count = 0;
  while (result === null) {
    const child = await start({ url: model.url, log }, (text) => (result = text));
    const isOver = () => result !== null || child.exitCode !== null || child.signalCode !== null;
    while (!isOver()) {
      const reached = count < kills ? model.asked + 1 + Math.floor(random() * 2) : Number.POSITIVE_INFINITY;
      while (!isOver() && model.asked < reached) await sleep(5);
      await sleep(random() * 40);
      if (isOver()) continue;
      count++;
      await strike(child);
    }
    await killed(child);
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  rmSync(folder, { recursive: true, force: true });
  const tools = new Set(lines.map((line) => line.split(" ")[0])).size;
  return { result, killed: count, asked: model.asked, tools, keys: new Set(lines).size, executions: lines.length };
}

/** Starts a process that runs the agent on the store at this place. */
export function onStore(mode: Mode, place: (world: World) => string, desk = ""): Survival["start"] {
  return async (world, ended) => {
    const child = startScript("agent-process.ts", [mode, place(world), world.url, world.log, desk]);
    let output = "";
    child.stdout?.on("data", (data: Buffer) => {
      output += data;
      const [, result] = /RESULT (.*)\n/.exec(output) ?? [];
      if (result !== undefined) ended(result);
    });
    return child;
  };
}

/** As good as random, and the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
