/**
 * Observes the attempts of a run from a middleware: each runs its own code, waits for the run, or is held.
 *
 * @module
 */
import type { Middleware, StepCall, StepOutput } from "millrace";

/** One attempt, from its first line to its last. */
export interface SeenAttempt {
  readonly workflow: string;
  readonly step: string;
  readonly runId: string;
  readonly item: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Open waits that need no worker slot: calls of `ctx`, or a generator whose next element is not yet requested. */
  open: number;
  /** Calls of `ctx` that wait only for the journal. */
  storing: number;
  /** `true` while a scheduler holds the attempt. */
  held: boolean;
  /** `true` once the attempt has run for too long without activity: then it is not awaited. */
  slow: boolean;
  /** Descriptions of the open waits. */
  readonly awaited: string[];
}

/** The attempts under way. */
export class Attempts {
  readonly all: Set<SeenAttempt> = new Set();
  /** Names of the steps in the order in which their attempts began. */
  readonly begun: string[] = [];
  /** Counts every observed change. */
  changes = 0;

  /** Attempts that run their own code now. */
  get atWork(): SeenAttempt[] {
    return [...this.all].filter(({ open, held, slow }) => open === 0 && !held && !slow);
  }

  see(call: StepCall, rootWorkflow: string | null): SeenAttempt {
    const { workflow, step, runId, item, attempt } = call;
    const seen: SeenAttempt = {
      ...{ workflow, step, runId, item, attempt },
      signal: call.ctx.signal,
      open: 0,
      storing: 0,
      held: false,
      slow: false,
      awaited: [],
    };
    this.all.add(seen);
    this.begun.push(rootWorkflow === null || workflow === rootWorkflow ? step : `${workflow}.${step}`);
    this.changes++;
    watchCalls(call, seen, () => void this.changes++);
    return seen;
  }

  over(seen: SeenAttempt): void {
    this.all.delete(seen);
    this.changes++;
  }
}

const slotless = ["waitForEvent", "sleep", "runChild"] as const;
const writes = ["set", "setState", "clear", "editState"] as const;
type AnyCall = (...args: unknown[]) => Promise<unknown>;
type Effect = (call: unknown) => unknown;
type Replacement = (call: (args: unknown[]) => Promise<unknown>, args: unknown[]) => Promise<unknown>;

/** Wraps the calls of this attempt's context that may take long. */
function watchCalls({ ctx }: StepCall, seen: SeenAttempt, onChange: () => void): void {
  const count = (field: "open" | "storing", by: 1 | -1): void => {
    seen[field] += by;
    if (by < 0) seen.slow = false;
    onChange();
  };
  for (const name of slotless) {
    before(ctx, name, (call, args) => {
      const type = name === "waitForEvent" ? String((args[0] as { readonly type?: string } | undefined)?.type) : null;
      if (type !== null) seen.awaited.push(type);
      count("open", 1);
      return afterwards(call(args), () => {
        if (type !== null) seen.awaited.splice(seen.awaited.indexOf(type), 1);
        count("open", -1);
      });
    });
  }
  const storing: Replacement = (call, args) => {
    count("storing", 1);
    return afterwards(call(args), () => count("storing", -1));
  };
  for (const name of writes) before(ctx.store, name, storing);
  before(ctx, "collectEvents", storing);
  before(ctx, "run", (call, [key, effect, ...options]) => {
    let phase: "atWork" | "failed" | "done" = "atWork";
    // A failed call may wait for its next attempt.
    const enter = (next: typeof phase): void => {
      if (phase === "failed") count("open", -1);
      if (next === "failed") count("open", 1);
      if (next === "done") count("storing", 1);
      phase = next;
    };
    const counted: Effect = async (facts) => {
      enter("atWork");
      try {
        const value = await (effect as Effect)(facts);
        enter("done");
        return value;
      } catch (error) {
        enter("failed");
        throw error;
      }
    };
    return afterwards(call([key, typeof effect === "function" ? counted : effect, ...options]), () => {
      if (phase === "done") count("storing", -1);
      enter("atWork");
    });
  });
}

/** Replaces a method of this one object. */
function before(holder: object, name: string, replace: Replacement): void {
  const methods = holder as Record<string, AnyCall>;
  const original = methods[name] as AnyCall;
  methods[name] = (...args) => replace((given) => original.apply(holder, given), args);
}

/** Returns the given promise, so that the caller need not handle a second one. */
function afterwards(answer: Promise<unknown>, then: () => void): Promise<unknown> {
  answer.then(then, then);
  return answer;
}

/** A middleware that only observes. */
export function watching(attempts: Attempts, rootWorkflow: string | null = null): Middleware {
  return async (call, next) => {
    const seen = attempts.see(call, rootWorkflow);
    try {
      return throughGenerator(await next(), { seen, end: async () => attempts.over(seen) });
    } catch (error) {
      attempts.over(seen);
      throw error;
    }
  };
}

export interface GeneratorWatch {
  readonly seen: Pick<SeenAttempt, "open">;
  /** Called before an element is passed to the run. */
  element?(element: unknown): Promise<void>;
  /** Called at the end of the output of the step. */
  end(): Promise<void>;
}

/** Watches a generator, which has only begun when the step returns it. With any other output, the step is over. */
export async function throughGenerator(output: StepOutput, watch: GeneratorWatch): Promise<StepOutput> {
  if (!isGenerator(output)) {
    await watch.end();
    return output;
  }
  return passOn(output, watch) as unknown as StepOutput;
}

async function* passOn(
  generator: AsyncGenerator<unknown, unknown>,
  watch: GeneratorWatch,
): AsyncGenerator<unknown, unknown> {
  let finished = false;
  try {
    for (;;) {
      const next = await generator.next();
      if (next.done) {
        finished = true;
        return next.value;
      }
      await watch.element?.(next.value);
      // Until the run requests the next element, the step has nothing to do.
      watch.seen.open++;
      yield next.value;
      watch.seen.open--;
    }
  } finally {
    if (!finished) await generator.return(undefined);
    await watch.end();
  }
}

export function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  const generator = value as { next?: unknown; [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof generator?.[Symbol.asyncIterator] === "function" && typeof generator.next === "function";
}
