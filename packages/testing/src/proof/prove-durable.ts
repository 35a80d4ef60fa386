/**
 * Kills a process before and after every write to its store, and stops one with every write. Lets another process
 * continue, and compares the answers to its caller with those of an undisturbed process.
 *
 * @module
 */
import { type Duration, WorkflowError } from "millrace";
import { callable, type Rules, toMs, unchecked } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import { checkFunctions, checkOptions } from "../check-options.js";
import { within } from "../harness/host-turn.js";
import { describeDifference, describeValue } from "./describe-value.js";
import { type Death, Mortal, type WritePosition } from "./mortal-store.js";

/** What a process opens over its store: a runtime, a pipeline, or an object that holds several of them. */
export type Durable = {
  /** Resumes the runs of an earlier process. */
  start(): Promise<unknown>;
} & ({ stop(options?: StopOptions): Promise<unknown> } | { close(options?: StopOptions): Promise<unknown> });

/** Options of `runtime.stop`. */
interface StopOptions {
  readonly drainMs?: number;
}

/** One store and the processes that use it one after the other. A new one is made for each try. */
export interface DurableWorld<App extends Durable> {
  /** Opens the application as each process does. `mortal(store)` takes the place of the store. */
  open(mortal: (store: RunStore) => RunStore): App | Promise<App>;
  /**
   * Plays a caller and returns its answers, which are compared. The caller of the next process does the same again, so
   * start runs with an explicit `runId`.
   */
  run(app: App): Promise<unknown>;
}

export interface DurableOptions {
  /** Disturbs only this write, counted from 1, in order to look into a failure. @default every write */
  readonly at?: number;
  /** Time for one process, from its start to the end of its caller. @default "10s" */
  readonly timeout?: Duration;
  /** Compares the answers to callers. @default deep equality */
  readonly compare?: (expected: unknown, actual: unknown) => boolean;
}

export interface DurableProof {
  /** Writes of an undisturbed process. */
  readonly writes: number;
  /** How often a process was killed: twice for each write, which was once stored and once lost. */
  readonly deaths: number;
  /** How often a process was stopped at work: once for each write. */
  readonly stops: number;
}

/**
 * Proves that whenever a process dies or is stopped, another process over the same store reaches the same end, and that
 * no caller of a stopped process waits for ever.
 *
 * In contrast to `proveResumable` it uses the real runtime and store, and so everything that they keep besides the run:
 * sessions, records, several runs, posted answers. Time is real.
 *
 * @example
 * await proveDurable(() => {
 *   const store = memoryStore(); // or a file, which each process opens
 *   return {
 *     open: (mortal) => createShopping({ store: mortal(store) }),
 *     run: async (shop) => (await shop.run("Add milk.", { runId: "one", sessionId: "s" })).sessionState,
 *   };
 * });
 * @throws {WorkflowError} `RESUME_DIVERGED` with the write and both ends. `RUN_STUCK` when an undisturbed process does
 * not end in time.
 */
export async function proveDurable<App extends Durable>(
  world: () => DurableWorld<App>,
  options: DurableOptions = {},
): Promise<DurableProof> {
  checkOptions("proveDurable", options, known);
  const { at, timeout = "10s", compare = isSame } = options;
  const limitMs = toMs(timeout, "timeout");
  const undisturbed = new Mortal(null);
  const expected = await inTime(limitMs, liveOn(world(), undisturbed));
  await undisturbed.bury();
  const writes = undisturbed.writes.length;
  const counts = { deaths: 0, stops: 0 };
  for (const dies of allDeaths(undisturbed.writes).filter(({ write }) => at === undefined || write === at)) {
    const tried = await die(dies, world(), limitMs);
    if (tried.died) counts[dies.how === "stopped" ? "stops" : "deaths"]++;
    if ("error" in tried || !compare(expected, tried.end)) throw diverged(dies, expected, tried);
  }
  if (counts.deaths + counts.stops === 0) throw nothingToKill(at, writes);
  return { writes, ...counts };
}

const known: Rules<DurableOptions> = { compare: callable, ...unchecked("at timeout") };

type Tried = { readonly died: boolean } & ({ readonly end: unknown } | { readonly error: unknown });

type NumberedDeath = Death & { readonly write: number };

/** For each write: lost with everything that was done for it, and stored; then each in the middle of a stop. */
function allDeaths(writes: readonly WritePosition[]): NumberedDeath[] {
  const inAll = (ways: readonly Death["how"][]): NumberedDeath[] =>
    writes.flatMap((place, index) => ways.map((how) => ({ write: index + 1, place, how })));
  return [...inAll(["lost", "stored"]), ...inAll(["stopped"])];
}

async function die<App extends Durable>(dies: Death, world: DurableWorld<App>, limitMs: number): Promise<Tried> {
  const first = new Mortal(dies);
  const next = new Mortal(null);
  let died = false;
  try {
    const living = liveOn(world, first);
    living.catch(() => {}); // errors of the dead process
    const left = await inTime(limitMs, Promise.race([first.death, allSettled(living, first)]));
    if (typeof left === "object") return { died, end: left.value };
    died = true;
    return { died, end: await inTime(limitMs, liveOn(world, next)) };
  } catch (error) {
    return { died: died || first.isStopping, error };
  } finally {
    await first.bury();
    await next.bury();
  }
}

/** The answers to the caller. The caller of a stopped process may get any answer, but must get one. */
async function allSettled(living: Promise<unknown>, process: Mortal): Promise<{ readonly value: unknown } | "stopped"> {
  try {
    const value = await living;
    return process.isStopping ? "stopped" : { value };
  } catch (error) {
    if (process.isStopping) return "stopped";
    throw error;
  }
}

async function liveOn<App extends Durable>(world: DurableWorld<App>, process: Mortal): Promise<unknown> {
  checkFunctions("proveDurable", world, ["open", "run"]);
  const { open, run } = world;
  let stopped: Promise<unknown> | null = null;
  const app = await open(process.mortal);
  const stop = (): void => {
    stopped ??= end(app, { drainMs: 0 });
    stopped.catch(() => {}); // reported below
  };
  process.onStop = stop;
  if (process.isStopping) stop(); // the stop came while the process opened
  // A dead process does nothing more; this frees its memory.
  process.death.then(() => end(app)).catch(() => {});
  try {
    await app.start();
    return await run(app);
  } finally {
    await (stopped ?? end(app));
  }
}

function inTime<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  return within(limitMs, work, () => stuck(limitMs));
}

function end(app: Durable, options?: StopOptions): Promise<unknown> {
  return "stop" in app ? app.stop(options) : app.close(options);
}

function isSame(expected: unknown, actual: unknown): boolean {
  return describeValue(expected) === describeValue(actual);
}

const partings = {
  lost: (write: number) => `died with its write ${write}, which was lost`,
  stored: (write: number) => `died with its write ${write}, which was stored`,
  stopped: (write: number) => `was stopped while its write ${write} was under way`,
};

function diverged({ write, how }: NumberedDeath, expected: unknown, tried: Tried): WorkflowError {
  const wanted = describeValue(expected);
  const actual = "error" in tried ? `it failed: ${String(tried.error)}` : describeValue(tried.end);
  return new WorkflowError({
    code: "RESUME_DIVERGED",
    message: `Where a process ${partings[how](write)}, the next one ended differently.\n${describeDifference(wanted, actual)}`,
    hint: `Pass a \`runId\` to runs, and do in \`ctx.run\` or with the \`idempotencyKey\` what must happen once. Again: \`{ at: ${write} }\`.`,
    details: { at: write, how, isStored: how !== "lost", expected: wanted, actual },
    ...("error" in tried && { cause: tried.error }),
  });
}

function stuck(limitMs: number): WorkflowError {
  return new WorkflowError({
    code: "RUN_STUCK",
    message: `A process did not end within ${limitMs} ms: opening, starting, working or stopping never ends, or its caller waits forever.`,
    hint: "Await only what the process settles, also when it is stopped; raise `timeout` if it only takes long.",
    details: { limitMs },
  });
}

function nothingToKill(at: number | undefined, writes: number): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `No process has died: there are ${writes} writes${at === undefined ? "" : `, and no write ${at}`}.`,
    hint: "Open the store as `mortal(store)`; set `at` from 1 to the number of writes, or leave it out.",
    details: { option: "at", writes },
  });
}
