/** Lists of exported parts as an enemy would change them. */
import fc from "fast-check";

export type Part = Record<string, unknown>;
type Container = Record<string, unknown>;

/** What stands in the place of a value or a part. Made anew for each use. */
const enemies: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => 0,
  () => 1,
  () => -1,
  () => 0.5,
  () => 77,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => Number.MAX_SAFE_INTEGER,
  () => Number.MIN_SAFE_INTEGER,
  () => 1e300,
  () => 10n,
  () => "",
  () => "x",
  () => "\0",
  () => "\ud800",
  () => "__proto__",
  () => "constructor",
  () => "running",
  () => "completed",
  () => "run",
  () => "millrace:due",
  () => "x".repeat(70_000),
  () => [],
  () => [null],
  () => [[]],
  () => ({}),
  () => ({ $blob: "gone" }),
  () => ({ $plain: { $blob: "gone" } }),
  () => ({ json: 1, meta: { "": "Map" } }),
  () => ({ type: "Said", data: { text: "x" } }),
  () => ({ toJSON: () => 1 }),
  () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  () => nested(200),
  () => nested(100_000),
  () => Symbol("no"),
];

const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "$blob", "$plain", "type", "run", ""];

function nested(depth: number): unknown {
  return JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
}

/** Every object and list in it. */
function containers(value: unknown, found: Container[] = []): Container[] {
  const open = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    found.push(next as Container);
    open.push(...Object.values(next).slice(0, 1_000));
  }
  return found;
}

export interface Mutation {
  readonly what: "replace" | "remove" | "rename" | "copy" | "part" | "twice" | "gone" | "moved" | "after" | "strange";
  /** Which part, container, key and enemy: taken modulo how many there are. */
  readonly part: number;
  readonly place: number;
  readonly key: number;
  readonly with: number;
  /** Whether the end is made to say how many parts there are. */
  readonly counts: boolean;
}

const whats: readonly Mutation["what"][] = [
  ..."replace replace replace replace remove remove rename copy copy".split(" "),
  ..."part twice gone moved after strange".split(" "),
] as Mutation["what"][];

export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    what: fc.constantFrom(...whats),
    part: fc.nat(10_000),
    place: fc.nat(10_000),
    key: fc.nat(10_000),
    with: fc.nat(10_000),
    counts: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

/** @param others Parts of other exports. */
export function mutated(parts: readonly Part[], others: readonly Part[], all: readonly Mutation[]): unknown[] {
  const list = structuredClone(parts) as Part[];
  for (const one of all) mutate(list, others, one);
  return list;
}

function mutate(list: Part[], others: readonly Part[], mutation: Mutation): void {
  const index = mutation.part % list.length;
  const enemy = at(enemies, mutation.with)();
  const places = containers(list[index]);
  const place = at(places, mutation.place) ?? {};
  const keys = Object.keys(place);
  const key = at(keys, mutation.key) ?? "none";
  switch (mutation.what) {
    case "replace":
      put(place, key, enemy);
      break;
    case "remove":
      if (Array.isArray(place)) place.splice(Number(key) || 0, 1);
      else delete place[key];
      break;
    case "rename":
      put(place, at(names, mutation.with) as string, place[key]);
      if (!Array.isArray(place)) delete place[key];
      break;
    case "copy": {
      // What belongs somewhere else: right in its form, and wrong here.
      const other = at(containers(at(list, mutation.with)), mutation.key) ?? {};
      put(place, key, structuredCloneOf(at(Object.values(other), mutation.place)));
      break;
    }
    case "part":
      list.splice(index, 0, structuredClone(at(others, mutation.place)) as Part);
      break;
    case "twice":
      list.splice(index, 0, structuredCloneOf(list[index]) as Part);
      break;
    case "gone":
      list.splice(index, 1);
      break;
    case "moved":
      list.splice(mutation.place % (list.length + 1), 0, ...list.splice(index, 1));
      break;
    case "after":
      list.push(structuredCloneOf(list[index]) as Part);
      break;
    case "strange":
      list.splice(index, 0, enemy as Part);
  }
  if (mutation.counts && list.length > 0) recount(list);
}

/** So that other checks than that of the number of parts are met. */
function recount(list: Part[]): void {
  const last = list.findLast((part) => part?.["type"] === "end");
  if (typeof last === "object") last["parts"] = list.length;
}

/** Own, whatever its name is: as `JSON.parse` would have made it. */
function put(place: Container, key: string, value: unknown): void {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true });
}

function at<Item>(list: readonly Item[], number: number): Item {
  return list[number % Math.max(1, list.length)] as Item;
}

function structuredCloneOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return value; // a function, or one that is too deep
  }
}
