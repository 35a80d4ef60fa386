/**
 * Kills a process before and after every write to its store, and stops one with it; lets another one go on, and compares what its caller gets
 * with what a caller of a process that lives gets.
 *
 * @module
 */
import { type Duration, WorkflowError } from "millrace";
import { toMs } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import { describeDifference, describeValue } from "./describe-value.js";
import { within } from "./host-turn.js";
import { type Death, Mortal, type Place } from "./mortal-store.js";

/** What a process opens over its store: a runtime, a pipeline, or what holds several of them. */
export type Durable = {
  /** Goes on with runs that a process before has left. */
  start(): Promise<unknown>;
} & ({ stop(options?: StopOptions): Promise<unknown> } | { close(options?: StopOptions): Promise<unknown> });

/** As `runtime.stop` takes them. */
interface StopOptions {
  readonly drainMs?: number;
}

/** One store, and the processes that come and go over it. Made anew for each try. */
export interface DurableWorld<App extends Durable> {
  /** As each process opens it: over `mortal(store)` in the place of its store. */
  open(mortal: (store: RunStore) => RunStore): App | Promise<App>;
  /**
   * What a caller does, and what it is told: that is compared. The caller of the process that comes after does the same again, so
   * runs are started with a `runId` that it gives them.
   */
  run(app: App): Promise<unknown>;
}

export interface DurableOptions {
  /** Only die or stop with this write, the first is 1: to look into a failure. @default with every write */
  readonly at?: number;
  /** How long one process may take, from its start to the end of its caller. @default "10s" */
  readonly timeout?: Duration;
  /** @default everything is equal */
  readonly compare?: (expected: unknown, actual: unknown) => boolean;
}

export interface DurableProof {
  /** Of an undisturbed process. */
  readonly writes: number;
  /** How often a process has died: with each write twice, which was stored, and which was lost. */
  readonly deaths: number;
  /** How often a process was stopped while it worked: with each write once. */
  readonly stops: number;
}

/**
 * Proves that whenever a process dies or is stopped, another one over the same store comes to the same end; and that in one that is
 * stopped, nobody waits for ever.
 *
 * Beyond `proveResumable` it has the runtime and the store in it, real ones, and so all that lives there beside the run itself:
 * sessions, records, several runs, answers that people have posted. Time is real.
 *
 * @example
 * await proveDurable(() => {
 *   const store = memoryStore(); // or a file, which each process opens
 *   return {
 *     open: (mortal) => createShopping({ store: mortal(store) }),
 *     run: async (shop) => (await shop.run("Add milk.", { runId: "one", sessionId: "s" })).sessionState,
 *   };
 * });
 * @throws {WorkflowError} `RESUME_DIVERGED` with the write, and both ends. `RUN_STUCK` when nothing was killed, and it does not end in time.
 */
export async function proveDurable<App extends Durable>(
  world: () => DurableWorld<App>,
  { at, timeout = "10s", compare = isSame }: DurableOptions = {},
): Promise<DurableProof> {
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

type Tried = { readonly died: boolean } & ({ readonly end: unknown } | { readonly error: unknown });

type NumberedDeath = Death & { readonly write: number };

/** With each write: lost with all that was done for it, and stored; and then each in the middle of a stop. */
function allDeaths(writes: readonly Place[]): NumberedDeath[] {
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
    living.catch(() => {}); // the last words of the dead
    const left = await inTime(limitMs, Promise.race([first.death, toldAll(living, first)]));
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

/** What the caller was told. Of a process that was stopped that does not count, as long as it was told anything. */
async function toldAll(living: Promise<unknown>, process: Mortal): Promise<{ readonly value: unknown } | "stopped"> {
  try {
    const value = await living;
    return process.isStopping ? "stopped" : { value };
  } catch (error) {
    if (process.isStopping) return "stopped";
    throw error;
  }
}

async function liveOn<App extends Durable>({ open, run }: DurableWorld<App>, process: Mortal): Promise<unknown> {
  let stopped: Promise<unknown> | null = null;
  const app = await open(process.mortal);
  const stop = (): void => {
    stopped ??= end(app, { drainMs: 0 });
    stopped.catch(() => {}); // told below
  };
  process.onStop = stop;
  if (process.isStopping) stop(); // while it opened
  // A dead process does nothing more; what it has left in memory is let go of.
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
    message: `Where a process ${partings[how](write)}, the next one came to another end.\n${describeDifference(wanted, actual)}`,
    hint: `Give runs a \`runId\`, and do in \`ctx.run\` or with the \`idempotencyKey\` what must happen once. Again: \`{ at: ${write} }\`.`,
    details: { at: write, how, isStored: how !== "lost", expected: wanted, actual },
    ...("error" in tried && { cause: tried.error }),
  });
}

function stuck(limitMs: number): WorkflowError {
  return new WorkflowError({
    code: "RUN_STUCK",
    message: `A process did not come to its end in ${limitMs} ms: it opens, starts, works or stops for ever, or its caller waits for ever.`,
    hint: "Await only what the process settles, also when it is stopped; raise `timeout` when it only takes long.",
    details: { limitMs },
  });
}

function nothingToKill(at: number | undefined, writes: number): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `No process has died: there are ${writes} writes${at === undefined ? "" : `, and no write ${at}`}.`,
    hint: "Open the store as `mortal(store)`; give `at` from 1 to the number of writes, or leave it out.",
    details: { option: "at", writes },
  });
}
