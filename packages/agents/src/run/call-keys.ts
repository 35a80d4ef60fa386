/**
 * Idempotency keys for the calls of one run.
 *
 * They are made from what is called, not from the ids the model makes up: when the run is tried again and the model asks
 * for the same thing, the key is the same. The second identical call of one run gets another key than the first.
 *
 * @module
 */
export function callKeys(runKey: string): (toolName: string, args: unknown) => string {
  const counts = new Map<string, number>();
  return (toolName, args) => {
    const text = `${toolName} ${canonicalJson(args)}`;
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    return `${runKey}:${toolName}:${digest(text)}:${count}`;
  };
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isPlain(item) ? sorted(item) : item)) ?? "";
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * 32 hex digits that tell texts apart: cyrb128 by bryc, public domain. Synchronous, unlike those of Web Crypto: tools start
 * in the order of their calls.
 *
 * @see https://github.com/bryc/code/blob/master/jshash/PRNGs.md
 */
function digest(text: string): string {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ unit, 597399067);
    b = c ^ Math.imul(b ^ unit, 2869860233);
    c = d ^ Math.imul(c ^ unit, 951274213);
    d = a ^ Math.imul(d ^ unit, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  a ^= b ^ c ^ d;
  return [a, b ^ a, c ^ a, d ^ a].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}
