import { copyJson, isObject, toPlain } from "@millrace/pipeline/executor";
import type { SessionState } from "../run-context.types.js";

/** Sets `target[key]`, except for `__proto__`. */
export function assign(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") return;
  target[key] = value;
}

/** Makes `live` hold the content of `next`, so that every reference to `live` sees it. */
export function replaceContent(live: SessionState, next: unknown): void {
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
 * @throws {WorkflowError} `STATE_UNSTORABLE` for values that a store would return as something else.
 */
export function plainState(state: SessionState): SessionState {
  return copyJson(toPlain(state, [])) as SessionState;
}
