/**
 * Kills a process before and after every write to its store, lets another one go on, and compares what its caller gets with what a caller of a
 * process that lives gets.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { RunStore } from "millrace/runtime";
import { describeDifference, describeValue } from "./describe-value.js";
import { type Death, Mortal, type Place } from "./mortal-store.js";

/** What a process opens over its store: a runtime, a pipeline, or what holds several of them. */
export type Durable = {
  /** Goes on with runs that a process before has left. */
  start(): Promise<unknown>;
} & ({ stop(): Promise<unknown> } | { close(): Promise<unknown> });

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
  /** Only die with this write, the first is 1: to look into a failure. @default with every write */
  readonly at?: number;
  /** @default everything is equal */
  readonly compare?: (expected: unknown, actual: unknown) => boolean;
}

export interface DurableProof {
  /** Of an undisturbed process. */
  readonly writes: number;
  /** How often a process has died: with each write twice, which was stored, and which was lost. */
  readonly deaths: number;
}

/**
 * Proves that whenever a process dies, another one over the same store comes to the same end.
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
 * @throws {WorkflowError} `RESUME_DIVERGED` with the write, and both ends.
 */
export async function proveDurable<App extends Durable>(
  world: () => DurableWorld<App>,
  { at, compare = isSame }: DurableOptions = {},
): Promise<DurableProof> {
  const undisturbed = new Mortal({ dies: null, before: 0 });
  const expected = await liveOn(world(), undisturbed);
  await undisturbed.bury();
  const writes = undisturbed.writes.length;
  let deaths = 0;
  for (const dies of allDeaths(undisturbed.writes).filter(({ write }) => at === undefined || write === at)) {
    const tried = await die(dies, world());
    if (tried.died) deaths++;
    if ("error" in tried || !compare(expected, tried.end)) throw diverged(dies, expected, tried);
  }
  if (deaths === 0) throw nothingToKill(at, writes);
  return { writes, deaths };
}

type Tried = { readonly died: boolean } & ({ readonly end: unknown } | { readonly error: unknown });

type NumberedDeath = Death & { readonly write: number };

/** With each write twice: stored, and lost with all that was done for it. */
function allDeaths(writes: readonly Place[]): NumberedDeath[] {
  return writes.flatMap((place, index) => [
    { write: index + 1, place, isStored: false },
    { write: index + 1, place, isStored: true },
  ]);
}

async function die<App extends Durable>(dies: Death, world: DurableWorld<App>): Promise<Tried> {
  const first = new Mortal({ dies, before: 0 });
  const living = liveOn(world, first);
  living.catch(() => {}); // the last words of the dead
  const outcome = await Promise.race([first.death, living.then((value) => ({ value }))]);
  if (outcome !== "dead") {
    await first.bury();
    return { died: false, end: outcome.value };
  }
  const next = new Mortal({ dies: null, before: 1 });
  try {
    return { died: true, end: await liveOn(world, next) };
  } catch (error) {
    return { died: true, error };
  } finally {
    await first.bury();
    await next.bury();
  }
}

async function liveOn<App extends Durable>(
  { open, run }: DurableWorld<App>,
  { mortal, death }: Mortal,
): Promise<unknown> {
  const app = await open(mortal);
  // A dead process does nothing more; what it has left in memory is let go of.
  death.then(() => end(app)).catch(() => {});
  await app.start();
  const told = await run(app);
  await end(app);
  return told;
}

function end(app: Durable): Promise<unknown> {
  return "stop" in app ? app.stop() : app.close();
}

function isSame(expected: unknown, actual: unknown): boolean {
  return describeValue(expected) === describeValue(actual);
}

function diverged({ write, isStored }: NumberedDeath, expected: unknown, tried: Tried): WorkflowError {
  const wanted = describeValue(expected);
  const actual = "error" in tried ? `it failed: ${String(tried.error)}` : describeValue(tried.end);
  return new WorkflowError({
    code: "RESUME_DIVERGED",
    message: `Where a process died with its write ${write}, which was ${isStored ? "stored" : "lost"}, the next one came to another end.\n${describeDifference(wanted, actual)}`,
    hint: `Give runs a \`runId\`, and do in \`ctx.run\` or with the \`idempotencyKey\` what must happen once. Again: \`{ at: ${write} }\`.`,
    details: { at: write, isStored, expected: wanted, actual },
    ...("error" in tried && { cause: tried.error }),
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
