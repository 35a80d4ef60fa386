/**
 * Writes what this tree makes of every flow: `npx tsx packages/core/test/golden/write-flows.ts v1`.
 *
 * By hand, once for a form; a file that is there is not written over.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { compileWorkflow, encodeTick } from "../../src/entries/engine.js";
import type { WorkflowHandler } from "../../src/index.js";
import { type Ending, drive, JumpClock, record, useClock } from "../support/drive.js";
import { type Flow, flows } from "../support/flows.js";
import { moreFlows } from "./more-flows.js";

export const keptFlows: readonly Flow[] = [...flows, ...moreFlows];

/** One flow as a tree has stored it. */
export interface Kept {
  readonly flow: string;
  readonly ending: Ending;
  /** Of the run itself, without its children. */
  readonly journal: readonly unknown[];
  /** Some moments of the run, from the second round to the last. */
  readonly snapshots: readonly unknown[];
  /** Once more, and cancelled half-way. */
  readonly cancelled: { readonly journal: readonly unknown[]; readonly snapshot: unknown };
}

export const keptFile = (flow: Flow): string => `${flow.name.replaceAll(/[^a-z]+/g, "-")}.json`;

const moments = 8;

export async function keep(flow: Flow): Promise<Kept> {
  const { ending, journal, snapshots, final } = await record(flow);
  const begun = snapshots.slice(1);
  const last = begun.length - 1;
  const chosen = new Set(Array.from({ length: moments }, (_, moment) => Math.round((last * moment) / (moments - 1))));
  return {
    flow: flow.name,
    ending,
    journal: journal.map((line) => JSON.parse(line)),
    snapshots: [...chosen].map((index) => JSON.parse(begun[index] as string)),
    cancelled: await cancelHalfWay(flow, Math.max(1, Math.floor(final.ticks / 2))),
  };
}

async function cancelHalfWay(flow: Flow, ticks: number): Promise<Kept["cancelled"]> {
  const made = flow.make();
  const compiled = compileWorkflow(made.workflow);
  const clock = new JumpClock();
  const journal: unknown[] = [];
  let handler: WorkflowHandler;
  useClock(made, clock, {
    append(runId, round) {
      if (runId !== "run") return;
      journal.push(...round.map((tick) => JSON.parse(JSON.stringify(encodeTick(tick, compiled)))));
      if (journal.length >= ticks) handler.cancel("enough");
    },
  });
  handler = (made.workflow.run as (input: unknown) => WorkflowHandler)(flow.input ?? {});
  await drive(flow, handler, clock);
  return { journal, snapshot: JSON.parse(JSON.stringify(handler.context.toDict())) };
}

/** A line for each tick and each snapshot. */
export function write(kept: Kept, folder: URL, name: string): void {
  mkdirSync(folder, { recursive: true });
  const file = new URL(name, folder);
  if (existsSync(file)) throw new Error(`${file.pathname} is there already: kept files stay as they are.`);
  const lines = (list: readonly unknown[]): string => `[\n${list.map((one) => `    ${JSON.stringify(one, withoutPaths)}`).join(",\n")}\n  ]`;
  const { flow, ending, journal, snapshots, cancelled } = kept;
  const text = `{
  "flow": ${JSON.stringify(flow)},
  "ending": ${JSON.stringify(ending)},
  "journal": ${lines(journal)},
  "snapshots": ${lines(snapshots)},
  "cancelled": { "journal": ${lines(cancelled.journal)}, "snapshot": ${JSON.stringify(cancelled.snapshot, withoutPaths)} }
}
`;
  writeFileSync(file, text);
}

/** Of a stack, the line that is the same on every machine. */
function withoutPaths(key: string, value: unknown): unknown {
  return key === "stack" && typeof value === "string" ? value.split("\n")[0] : value;
}
