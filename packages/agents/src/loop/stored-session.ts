/**
 * The session state in the store of a run, at one path. A call works on a copy; what it has changed is merged into the
 * store in the act that records the call, as concurrent runs of a session are merged.
 *
 * @module
 */
import { CountingState, isObject, mergeStates, type StatesToMerge, valueAt } from "@millrace/executor";
import type { Context, Finished } from "millrace";
import { invalid } from "../settings/check-options.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { RunContext, SessionState } from "../settings/run-context.types.js";
import { createRunContext, fillMissing, plainState, type RunFacts, valuesFor } from "../state/live-state.js";
import { later } from "../system.js";
import type { SessionAccess, SessionCall, UsedSession } from "./loop-run.types.js";

interface StoredSessionOptions {
  /** Dotted; `null` where the run has no place for a session state. */
  readonly path: string | null;
  /** Values for keys that the state lacks. */
  readonly defaults: SessionState;
  readonly facts: RunFacts;
  /** State of the session at the start, which counted numbers are compared with. */
  readonly start: SessionState;
}

export class StoredSession implements SessionAccess {
  readonly #options: StoredSessionOptions;
  readonly #turns: Turns<SessionState>;
  /** Numbers that only edits have changed, in this process. */
  readonly counted: Record<string, true>;

  constructor(options: StoredSessionOptions, leader?: StoredSession) {
    this.#options = options;
    this.#turns = leader === undefined ? new Turns() : leader.#turns;
    this.counted = leader === undefined ? {} : leader.counted;
  }

  async use<Result>(
    { ctx, call }: SessionCall,
    work: (context: RunContext) => Promise<Result>,
  ): Promise<Result | Finished<Result>> {
    const turn = await this.#turns.next();
    const { context, keep } = this.#opened(turn, { base: turn.before ?? (await this.read(ctx)), signal: call.signal });
    return keep(call, await work(context));
  }

  async between(ctx: Context): Promise<UsedSession> {
    return this.#opened({ before: null, end: () => {} }, { base: await this.read(ctx), signal: ctx.signal });
  }

  #opened(
    turn: Turn<SessionState>,
    { base, signal }: { readonly base: SessionState; readonly signal: AbortSignal },
  ): UsedSession {
    const { facts, path } = this.#options;
    const state = plainState(base);
    const edits = new CountingState(state, base);
    const keep: UsedSession["keep"] = (call, result) => {
      const mine = plainState(state);
      if (JSON.stringify(mine) === JSON.stringify(base)) {
        turn.end(null);
        return result;
      }
      const place = placeOf(path);
      return call.finish((all) => {
        writeAt(all, place, (now) => {
          const after = this.#merged({ base, theirs: this.#withDefaults(now), mine, counted: edits.counted });
          turn.end(after);
          return after;
        });
        return result as never; // plain data: calls keep no promises
      });
    };
    return { context: createRunContext({ ...facts, state, edits, signal }, undefined), keep };
  }

  async read(ctx: Pick<Context, "store">): Promise<SessionState> {
    const { path } = this.#options;
    return this.#withDefaults(path === null ? {} : await ctx.store.get(path));
  }

  as(settings: ExecutorSettings): StoredSession {
    const { facts, defaults, ...rest } = this.#options;
    const own = { ...facts, ...valuesFor(settings, facts) };
    return new StoredSession({ ...rest, defaults: { ...settings.sessionState, ...defaults }, facts: own }, this);
  }

  /** A number is no longer counted once a call has set it. */
  #merged(states: Required<Pick<StatesToMerge, "base" | "theirs" | "mine" | "counted">>): SessionState {
    const { theirs, counted } = states;
    const after = mergeStates(states);
    for (const key of Object.keys(this.counted))
      if (!Object.hasOwn(counted, key) && !Object.is(valueAt(theirs, key), valueAt(after, key)))
        delete this.counted[key];
    for (const key of Object.keys(counted))
      if (Object.is(valueAt(theirs, key), valueAt(this.#options.start, key))) this.counted[key] = true;
    return after;
  }

  #withDefaults(stored: unknown): SessionState {
    const state = isObject(stored) ? plainState(stored) : {};
    fillMissing(state, this.#options.defaults);
    return state;
  }
}

/** @throws {WorkflowError} `OPTION_INVALID` where there is no place to keep the change. */
function placeOf(path: string | null): string {
  if (path !== null) return path;
  throw invalid(
    "The session state has changed, and the run has no place for it.",
    'Name the field of the workflow\'s state that keeps it: `agent.run(input, { ctx, statePath: "session" })`.',
  );
}

/** Writes the value at a dotted path, whose holders are made where they are missing. */
export function writeAt(state: SessionState, path: string, write: (now: unknown) => SessionState): void {
  const keys = path.split(".");
  const last = keys.pop() as string;
  let holder = state;
  for (const key of keys) {
    if (!isObject(holder[key])) holder[key] = {};
    holder = holder[key] as SessionState;
  }
  holder[last] = write(holder[last]);
}

interface Turn<Value> {
  /** Rest of the previous turn; `null` if there is none, or it is not over. */
  readonly before: Value | null;
  /** Begins the next turn. Only the first call counts. */
  end(left: Value | null): void;
}

/**
 * Work begins in its order: work that is done at once is over when the next begins, and work that takes longer delays
 * no other.
 */
class Turns<Value> {
  #last: Promise<Value | null> = Promise.resolve(null);

  async next(): Promise<Turn<Value>> {
    const last = this.#last;
    let end: Turn<Value>["end"] = () => {};
    this.#last = new Promise((resolve) => (end = resolve));
    const before = await last;
    later(0, () => end(null));
    return { before, end };
  }
}
