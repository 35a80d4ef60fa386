/** Snapshots from an enemy: each is refused with a reason, or is a run like any other. Nothing crashes, hangs or gets through. */

import { describe, expect, it } from "vitest";
import { casesOf, isTried } from "../../../test-share.js";
import { compileWorkflow, decodeTick, type Tick } from "../src/entries/engine.js";
import { Context, WorkflowError } from "../src/index.js";
import { drive, type Ending, JumpClock, record, useClock } from "./support/drive.js";
import { type Flow, flows } from "./support/flows.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Path = readonly (string | number)[];

/** The snapshot of a flow that holds most. */
async function richest(flow: Flow): Promise<string> {
  const { snapshots } = await record(flow);
  return snapshots.reduce((longest, text) => (text.length > longest.length ? text : longest));
}

/** Every place in it; of a list, the first and the last. */
function places(json: Json, path: Path = []): Path[] {
  if (typeof json !== "object" || json === null) return [path];
  const entries = Array.isArray(json)
    ? [
        ...new Map([
          [0, json[0]],
          [json.length - 1, json.at(-1)],
        ] as [number, Json][]),
      ].filter(([index]) => index >= 0 && index < json.length)
    : Object.entries(json as Record<string, Json>);
  return [path, ...entries.flatMap(([key, value]) => places(value as Json, [...path, key]))];
}

/** A copy with another value, or without one, in this place. */
function changed(json: Json, path: Path, value: Json | undefined): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value as Json;
  const copy = (Array.isArray(json) ? [...json] : { ...(json as object) }) as Record<string | number, Json>;
  if (rest.length === 0 && value === undefined) delete copy[key];
  else copy[key] = changed(copy[key] as Json, rest, value);
  return (Array.isArray(copy) ? copy.filter(() => true) : copy) as Json;
}

const replacements: readonly (Json | undefined)[] = [
  undefined,
  null,
  true,
  -1,
  0,
  0.5,
  1,
  7,
  1e300,
  "",
  "x",
  "StopEvent",
  "open",
  [],
  [[]],
  [null],
  {},
  { json: 1 },
  { type: "Item", data: { n: "no" } },
];

/** In the next place others: every value is tried, and every place. */
function triedIn(place: number): readonly (Json | undefined)[] {
  return replacements.filter((_, index) => isTried(index + place));
}

/** What becomes of a snapshot: an error code, or the end of the run. */
async function fate(flow: Flow, dict: unknown): Promise<string> {
  const made = flow.make();
  let ending: Ending;
  try {
    const clock = new JumpClock();
    useClock(made, clock);
    const context = Context.fromDict(made.workflow, dict);
    ending = await drive(flow, made.workflow.resume(context), clock);
  } catch (error) {
    if (WorkflowError.is(error)) return /\w/.test(error.hint) ? error.code : `${error.code} without a hint`;
    return `unexpected: ${String(error)}`;
  }
  return ending.status === "failed" && ending.message.startsWith("The engine failed")
    ? `unexpected: ${ending.message}`
    : ending.status;
}

/** Flows that together have all that a snapshot can hold. */
const rich = new Set([
  "a generator",
  "a join by a field, over two fan-outs",
  "waits at the same time, one of which times out",
  "a prompt that a step emits",
  "events kept from a fan-out that is over",
  "retries with a memory",
  "a batch that settles",
  "delayed sends",
  "collected events",
  "children that ask, sleep and fail",
  "values that JSON does not have",
  "a run that fails",
]);

describe.each(flows.filter(({ name }) => rich.has(name)))("snapshots of $name, with one value changed", (flow) => {
  it("are refused with a reason, or run to an end", async () => {
    const snapshot: Json = JSON.parse(await richest(flow));
    const unexpected: string[] = [];
    const fates = new Map<string, number>();

    for (const [place, path] of places(snapshot).entries()) {
      for (const value of triedIn(place)) {
        const what = await fate(flow, changed(snapshot, path, value));
        fates.set(what, (fates.get(what) ?? 0) + 1);
        if (what.startsWith("unexpected")) unexpected.push(`${path.join(".")} = ${JSON.stringify(value)}: ${what}`);
      }
    }

    expect(unexpected).toEqual([]);
    expect(fates.get("SNAPSHOT_INVALID")).toBeGreaterThan(casesOf(100));
  });
});

describe("snapshots that reach for what is not theirs", () => {
  const flow = flows.find(({ name }) => name === "values that JSON does not have") as Flow;

  it.each(["__proto__", "constructor", "prototype"])("are refused with the key %s, wherever it is", async (key) => {
    const text = await richest(flow);
    const holders: Path[] = places(JSON.parse(text)).filter((path) => typeof at(JSON.parse(text), path) === "object");

    const fates = new Set(holders.map((path) => decoded(flow, withKey(text, path, key))));

    expect(holders.length).toBeGreaterThan(20);
    expect([...fates]).toEqual(["SNAPSHOT_HOSTILE"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("are refused with 10 MB of nesting, at once", async () => {
    const snapshot = JSON.parse(await richest(flow));
    const deep = nested(5_000_000);
    const startedMs = performance.now();

    const fates = ["store", "items", "extra"].map((name) => decoded(flow, { ...snapshot, [name]: deep }));

    expect(fates).toEqual(["SNAPSHOT_HOSTILE", "SNAPSHOT_HOSTILE", "SNAPSHOT_HOSTILE"]);
    expect(performance.now() - startedMs).toBeLessThan(40_000); // a walk that looks back at each level takes hours
  });

  it("are refused with things in them that are no JSON", async () => {
    const snapshot = JSON.parse(await richest(flow));
    const getter = Object.defineProperty({}, "json", {
      enumerable: true,
      get: () => {
        throw new Error("a getter was called");
      },
    });

    const fates = [new Date(), new Map(), () => 1, 1n, Number.NaN, Symbol("x"), new (class Store {})()].map((store) =>
      decoded(flow, { ...snapshot, store }),
    );

    expect(new Set(fates)).toEqual(new Set(["SNAPSHOT_HOSTILE"]));
    expect(() => Context.fromDict(flow.make().workflow, { ...snapshot, store: getter })).toThrow(
      expect.objectContaining({ code: "SNAPSHOT_HOSTILE", cause: new Error("a getter was called") }),
    );
  });

  it("cannot name a form of value that the workflow does not know", async () => {
    const snapshot = JSON.parse(await richest(flow));
    const forms = [
      ["class", "Socket"],
      ["custom", "Socket"],
      ["symbol", "iterator"],
      ["regexp"],
      ["custom", "@event"],
      [["function"]],
    ];

    const fates = forms.map((form) => decoded(flow, { ...snapshot, store: { json: { at: "x" }, meta: { at: form } } }));

    expect(
      fates.every((code) => ["SNAPSHOT_INVALID", "SNAPSHOT_HOSTILE", "STATE_INVALID", "EVENT_UNKNOWN"].includes(code)),
    ).toBe(true);
  });

  it.each(["atMs", "startedAtMs"])("cannot stop the clock: %s is within what a Date can be", async (name) => {
    const snapshot = JSON.parse(await richest(flow));

    const fates = [2 ** 53, -(2 ** 53), 8.64e15 + 1].map((atMs) => decoded(flow, { ...snapshot, [name]: atMs }));

    expect(new Set(fates)).toEqual(new Set(["SNAPSHOT_INVALID"]));
    expect(decoded(flow, { ...snapshot, [name]: 8.64e15 })).toBe("taken");
  });

  it("are copied before they are read: a proxy that answers differently each time gets nowhere", async () => {
    const snapshot = JSON.parse(await richest(flow));
    const throwing = new Proxy(snapshot, {
      ownKeys() {
        throw new Error("no keys");
      },
    });
    let reads = 0;
    const changing = Object.defineProperty({ ...snapshot }, "store", {
      enumerable: true,
      get: () => (reads++ === 0 ? snapshot.store : JSON.parse('{"json":{"__proto__":{"polluted":true}}}')),
    });
    const circle = { ...snapshot, extra: {} as Record<string, unknown> };
    circle.extra["self"] = circle;

    expect([throwing, circle].map((dict) => decoded(flow, dict))).toEqual(["SNAPSHOT_HOSTILE", "SNAPSHOT_HOSTILE"]);
    expect(decoded(flow, changing)).toBe("taken");
    expect(reads).toBe(1);
  });

  it("stay as they were, and what is done to them afterwards changes nothing", async () => {
    const snapshot = JSON.parse(await richest(flow));
    const before = JSON.stringify(snapshot);
    const context = Context.fromDict(flow.make().workflow, snapshot);
    const held = JSON.stringify(context.toDict());

    for (const item of snapshot.items ?? []) item.input = null;

    expect(JSON.stringify(context.toDict())).toBe(held);
    expect(Object.isFrozen(snapshot.store.json)).toBe(false);
    expect(before).not.toBe("");
  });

  it("cannot make it allocate for a number: a fan-out of so many elements is refused", async () => {
    const settle = flows.find(({ name }) => name === "a batch that settles") as Flow;
    const snapshot = JSON.parse(await richest(settle));
    const scopes = snapshot.scopes.map((scope: object) => ({ ...scope, size: 2 ** 40 }));

    expect(decoded(settle, { ...snapshot, scopes })).toBe("SNAPSHOT_INVALID");
  });
});

function at(json: Json, path: Path): Json {
  return path.reduce<Json>((value, key) => (value as Record<string | number, Json>)[key] as Json, json);
}

/** The snapshot with one more key there, as `JSON.parse` would bring it. */
function withKey(text: string, path: Path, key: string): unknown {
  const snapshot = JSON.parse(text);
  const holder = at(snapshot, path) as object | null;
  const value = JSON.parse('{"polluted":true}');
  if (Array.isArray(holder)) holder.push(JSON.parse(`{"${key}":{"polluted":true}}`));
  else if (holder !== null)
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  else Object.defineProperty(snapshot, key, { value, enumerable: true, configurable: true, writable: true });
  return snapshot;
}

/** Made without recursion, as it has to be read. */
function nested(levels: number): unknown {
  let deep: unknown = 0;
  for (let level = 0; level < levels; level++) deep = [deep];
  return deep;
}

function decoded(flow: Flow, dict: unknown): string {
  try {
    Context.fromDict(flow.make().workflow, dict);
    return "taken";
  } catch (error) {
    return WorkflowError.is(error) ? error.code : `unexpected: ${String(error)}`;
  }
}

describe("ticks with one value changed", () => {
  it("are refused with a reason, or are ticks", async () => {
    const unexpected: string[] = [];
    const codes = new Map<string, number>();

    for (const flow of flows) {
      const { made, journal } = await record(flow);
      const compiled = compileWorkflow(made.workflow);
      const kinds = new Map(journal.map((line) => [(JSON.parse(line) as Tick).type, JSON.parse(line) as Json]));
      for (const tick of kinds.values()) {
        for (const [place, path] of places(tick).entries()) {
          for (const value of triedIn(place)) {
            const code = codeOf(() => decodeTick(changed(tick, path, value), compiled));
            codes.set(code, (codes.get(code) ?? 0) + 1);
            if (code.startsWith("unexpected")) unexpected.push(`${path.join(".")} = ${JSON.stringify(value)}: ${code}`);
          }
        }
      }
    }

    expect(unexpected).toEqual([]);
    expect(codes.get("SNAPSHOT_INVALID")).toBeGreaterThan(casesOf(1_000));
  });
});

function codeOf(decode: () => unknown): string {
  try {
    decode();
    return "taken";
  } catch (error) {
    return WorkflowError.is(error) ? error.code : `unexpected: ${String(error)}`;
  }
}
