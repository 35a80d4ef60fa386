/** Bodies from a seed: some nearly right, some broken, some mean. */
export type Random = () => number;

/** The same in every run, so that a change is judged by what it changes. `SEED=random` searches; a number repeats what was found. */
export function wantedSeed(): number {
  const wanted = process.env["SEED"] ?? "20261121";
  return wanted === "random" ? Math.trunc(Math.random() * 1e9) : Number(wanted);
}

/** Mulberry32: small, and the same everywhere. */
export function randomSource(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const keys = [
  "start_event",
  "kwargs",
  "handler_id",
  "context",
  "event",
  "type",
  "value",
  "data",
  "meta",
  "fields",
  "step",
  "at",
  "state",
  "left",
  "text",
  "qualified_name",
  "__proto__",
  "constructor",
  "",
  "a.b",
];
const texts = [
  "Letter",
  "Add",
  "StopEvent",
  "StartEvent",
  "target",
  "{}",
  '{"left":1}',
  "\u0000",
  "\ud800",
  "x".repeat(300),
  "Date",
  "open",
];

export function randomBody(random: Random): string {
  const text = JSON.stringify(randomObject(random, 0)) ?? "";
  if (random() < 0.8) return text;
  const cut = Math.trunc(random() * text.length);
  return random() < 0.5
    ? text.slice(0, cut)
    : `${text.slice(0, cut)}${pick(random, [",", "}", "\u0001", "é", '"'])}${text.slice(cut)}`;
}

function randomObject(random: Random, depth: number): object {
  const count = Math.trunc(random() * 5);
  const entries = Array.from({ length: count }, () => [pick(random, keys), randomValue(random, depth + 1)]);
  return Object.fromEntries(entries);
}

function randomValue(random: Random, depth: number): unknown {
  const kind = Math.trunc(random() * (depth > 6 ? 5 : 8));
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random() < 0.5;
    case 2:
      return pick(random, [0, -1, 1, 1e308, 0.5, Number.MAX_SAFE_INTEGER]);
    case 3:
    case 4:
      return pick(random, texts);
    case 5:
      return Array.from({ length: Math.trunc(random() * 4) }, () => randomValue(random, depth + 1));
    default:
      return randomObject(random, depth);
  }
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.trunc(random() * items.length)] as Item;
}
