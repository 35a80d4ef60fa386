/**
 * The digest, as a command: see `usage` in options.ts.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { type Options, parseKeep, parseOptions, usage } from "./options.js";
import { assertSamePaths, forgetPaused, readPaused } from "./paused-digest.js";
import { begin, goOn, pausedFile, printQuestion } from "./session.js";
import { UserError } from "./user-error.js";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** @returns the exit code. @throws {UserError} for what the user can put right */
export async function runCommand(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const interactive = stdin.isTTY && stdout.isTTY;
  if (!interactive && options.keep === null && !options.pause) return bothHalves(args);
  return oneHalf(options);
}

async function oneHalf({ paths, keep, fresh, pause }: Options): Promise<number> {
  if (fresh) await forgetPaused(pausedFile());
  const paused = await readPaused(pausedFile());
  if (paused === null && keep !== null)
    throw new UserError("No digest waits here, so there are no topics to keep yet. Run without --keep first.");
  if (paused === null) return begin(paths);
  assertSamePaths(pausedFile(), paused, paths);
  if (paused.question === null) return goOn(paused, null);
  if (keep !== null) return goOn(paused, keep);
  printQuestion(paused.question);
  return pause ? 0 : goOn(paused, await choose());
}

/** Nobody is there to answer: the first half runs in one process, the second in another, as they would with a person. */
async function bothHalves(args: readonly string[]): Promise<number> {
  const paused = runAgain([...args, "--pause"]);
  if (paused !== 0) return paused;
  const waiting = await readPaused(pausedFile());
  if (waiting?.question == null) return 1;
  const keep = waiting.question.topics.slice(0, 3).map((_, index) => index + 1);
  console.log(`No terminal here to answer, so the answer is --keep ${keep.join(",")}.`);
  return runAgain(["--keep", keep.join(",")]);
}

function runAgain(args: readonly string[]): number {
  // The loader is found from here, not from the folder of the user.
  const execArgv = process.execArgv.map((arg) => (arg === "tsx" ? import.meta.resolve("tsx") : arg));
  const { status } = spawnSync(process.execPath, [...execArgv, main, ...args], { stdio: "inherit" });
  return status ?? 1;
}

async function choose(): Promise<readonly number[] | "all"> {
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return parseKeep(await terminal.question("Topics to keep (such as 1,3, or all): "));
  } finally {
    terminal.close();
  }
}
