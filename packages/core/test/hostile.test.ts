/** Snapshots from an enemy: each is refused with a reason, or is a run like any other. Nothing crashes, hangs or gets through. */
import { beforeAll, describe, expect, it } from "vitest";
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
    ? [...new Map([[0, json[0]], [json.length - 1, json.at(-1)]] as [number, Json][])].filter(([index]) => index >= 0 && index < json.length)
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
  undefined, null, true, -1, 0, 0.5, 1, 7, 1e300, "", "x", "StopEvent", "open", [], [[]], [null], {}, { json: 1 }, { type: "Item", data: { n: "no" } },
];

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
  return ending.status === "failed" && /engine failed|is not a function|undefined|Cannot read/.test(ending.message) ? `unexpected: ${ending.message}` : ending.status;
}

describe.each(flows)("snapshots of $name, with one value changed", (flow) => {
  it("are refused with a reason, or run to an end", async () => {
    const snapshot: Json = JSON.parse(await richest(flow));
    const unexpected: string[] = [];
    const fates = new Map<string, number>();

    for (const path of places(snapshot)) {
      for (const value of replacements) {
        const what = await fate(flow, changed(snapshot, path, value));
        fates.set(what, (fates.get(what) ?? 0) + 1);
        if (what.startsWith("unexpected")) unexpected.push(`${path.join(".")} = ${JSON.stringify(value)}: ${what}`);
      }
    }

    expect(unexpected).toEqual([]);
    expect(fates.get("SNAPSHOT_INVALID")).toBeGreaterThan(100);
  });
});
