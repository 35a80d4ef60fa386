import type { SessionState } from "../run-context.types.js";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Like `target[key] = value`, except that no key reaches a prototype. */
export function assign(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") return;
  target[key] = value;
}

/** Makes `live` hold what `next` holds; whoever has a reference to `live` sees it. */
export function replaceContent(live: SessionState, next: unknown): void {
  if (next === live) return;
  const entries = isObject(next) ? Object.entries(next) : [];
  const keys = new Set(entries.map(([key]) => key));
  for (const key of Object.keys(live)) if (!keys.has(key)) delete live[key];
  for (const [key, value] of entries) assign(live, key, value);
}

/** What the shared state has wins over the template. */
export function fillMissing(live: SessionState, template: SessionState): void {
  for (const [key, value] of Object.entries(template)) {
    if (!Object.hasOwn(live, key)) assign(live, key, structuredClone(value));
  }
}

/** Objects merge, everything else is replaced; `over` wins. Neither argument changes. */
export function deepMerge(base: SessionState, over: SessionState): SessionState {
  const merged: SessionState = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    assign(merged, key, isObject(value) && isObject(below) ? deepMerge(below, value) : value);
  }
  return merged;
}
