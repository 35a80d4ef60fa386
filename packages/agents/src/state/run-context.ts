import type { RunContext, SessionState } from "../run-context.types.js";
import { replaceContent } from "./live-state.js";

export interface ContextFacts {
  readonly runId: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  /** The live object. */
  readonly state: SessionState;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** A context whose state cannot be lost by assigning another object to it. */
export function createRunContext(facts: ContextFacts, outer: Partial<RunContext> | undefined): RunContext {
  const { state, ...readable } = facts;
  const context: RunContext = {
    ...readable,
    get sessionState() {
      return state;
    },
    set sessionState(next) {
      replaceContent(state, next);
    },
    editState: oneAtATime(state),
  };
  return outer === undefined ? context : withOuter(context, outer);
}

function oneAtATime(state: SessionState): RunContext["editState"] {
  let last: Promise<unknown> = Promise.resolve();
  return (edit) => {
    const edited = last.then(() => edit(state));
    last = edited.catch(() => {}); // the caller has the error; the next edit has nothing to do with it
    return edited;
  };
}

/** What is decided here, whatever the caller's context says. */
const inner = new Set<PropertyKey>(["sessionState", "dependencies", "metadata", "signal"]);

/** Everything else is the caller's, fields that are unknown here included. */
function withOuter(context: RunContext, outer: Partial<RunContext>): RunContext {
  const ownerOf = (key: PropertyKey): object => (inner.has(key) || !(key in outer) ? context : outer);
  return new Proxy(context, {
    get(_target, key) {
      const owner = ownerOf(key);
      const value: unknown = Reflect.get(owner, key);
      return typeof value === "function" ? value.bind(owner) : value;
    },
    set: (_target, key, value) => Reflect.set(ownerOf(key), key, value),
    has: (_target, key) => key in context || key in outer,
  });
}
