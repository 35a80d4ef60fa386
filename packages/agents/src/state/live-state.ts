import { type CountingState, copyJson, isObject, mergeValues, toPlain } from "@millrace/executor";
import type { RunContext, SessionState } from "../settings/run-context.types.js";

/** Sets `target[key]`, except for `__proto__`. */
export function assign(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") return;
  target[key] = value;
}

/** Makes `live` hold the content of `next`, so that every reference to `live` sees it. */
function replaceContent(live: SessionState, next: unknown): void {
  if (next === live) return;
  const entries = isObject(next) ? Object.entries(next) : [];
  const keys = new Set(entries.map(([key]) => key));
  for (const key of Object.keys(live)) if (!keys.has(key)) delete live[key];
  for (const [key, value] of entries) assign(live, key, value);
}

/** Adds the keys of the template that the shared state lacks. */
export function fillMissing(live: SessionState, template: SessionState): void {
  for (const [key, value] of Object.entries(template)) {
    if (!Object.hasOwn(live, key)) assign(live, key, structuredClone(value));
  }
}

/**
 * Copies a state deeply.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for values that a store would return as something else.
 */
export function plainState(state: SessionState): SessionState {
  return copyJson(toPlain(state, [])) as SessionState;
}

type Values = Pick<RunContext, "dependencies" | "metadata">;

/** The values that an agent sees of those of its caller or leader. */
export function valuesFor(settings: Values, { dependencies, metadata }: Values): Values {
  const isGiven = Object.keys(dependencies).length > 0;
  return {
    dependencies: isGiven ? dependencies : settings.dependencies,
    metadata: mergeValues(metadata, settings.metadata),
  };
}

/** What does not change during a run. */
export type RunFacts = Pick<RunContext, "runId" | "sessionId" | "userId" | keyof Values>;

interface ContextFacts extends RunFacts, Pick<RunContext, "signal"> {
  /** Live session state. Read when it is needed. */
  readonly state: SessionState;
  readonly edits: CountingState;
}

/** Creates a run context. Assigning to its `sessionState` replaces the content of the live object, not the object. */
export function createRunContext(facts: ContextFacts, outer: Partial<RunContext> | undefined): RunContext {
  const { runId, sessionId, userId, dependencies, metadata, signal } = facts;
  const context: RunContext = {
    ...{ runId, sessionId, userId, dependencies, metadata, signal },
    get sessionState() {
      return facts.state;
    },
    set sessionState(next) {
      replaceContent(facts.state, next);
    },
    editState: (edit) => facts.edits.edit(edit),
    snapshot: () => plainState(facts.state),
  };
  return outer === undefined ? context : withOuter(context, outer);
}

/** Fields of this executor, which win over the context of the caller. */
const inner = new Set<PropertyKey>(["sessionState", "dependencies", "metadata", "signal"]);

/** All other fields come from the context of the caller, including fields that are unknown here. */
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
