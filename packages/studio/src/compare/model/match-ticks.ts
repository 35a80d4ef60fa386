/**
 * Ticks of two runs side by side.
 *
 * They are matched by step, item, attempt and content, not by arrival: a fan-out that ended in another order is equal. Counters that
 * depend on that order are not compared, only that they were counted.
 *
 * @module
 */

import type { HistoryEntry, RunAttempt } from "@millrace/client";
import type { Json, JsonObject } from "../../api/json.types.js";
import { storedJson } from "../../api/plain-json.js";
import { CallLabels } from "../../model/call-labels.js";
import { groupBy } from "../../model/group-by.js";
import { type Line, lineOf, messageOf, typeOf } from "../../model/log-entry-text.js";
import { isModelRecord } from "../../model/model-call.js";
import { outputOf } from "../../model/run-data.js";
import { type StepNaming, stepsOfMany } from "../../model/step-names.js";

export interface ComparedRun {
  readonly runId: string;
  readonly entries: readonly HistoryEntry[];
  readonly attempts: readonly RunAttempt[];
  readonly naming: StepNaming;
  readonly isPipeline: boolean;
}

export interface ComparedTick {
  readonly entry: HistoryEntry;
  readonly line: Line;
}

export interface TickPair {
  readonly a: ComparedTick | null;
  readonly b: ComparedTick | null;
  readonly isEqual: boolean;
}

/** @param after Tick of `a` after which `b` was forked; 0 for runs that have nothing in common. */
export function matchTicks(a: ComparedRun, b: ComparedRun, after: number): readonly TickPair[] {
  const ofMany = [a, b].flatMap(({ attempts }) => [...stepsOfMany(attempts).values()].flat());
  const many = new Set(ofMany.map(({ step }) => step));
  const loose = looseSteps(a, b);
  const left = comparedTicks(a, after);
  const right = comparedTicks(b, 0);
  const keyOf = (run: ComparedRun) => (tick: ComparedTick) => contentOf(tick, { run, many, loose, isFork: after > 0 });
  const twins = twinsOf(left.map(keyOf(a)), right.map(keyOf(b)));
  return pairs(left, right, twins);
}

/** What an idle run does is no difference; nor is how a fork begins. */
function comparedTicks(run: ComparedRun, after: number): readonly ComparedTick[] {
  const { runId, naming, isPipeline } = run;
  const labels = new CallLabels();
  for (const entry of run.entries) labels.record(entry);
  const facts = { runId, naming, labels, isPipeline };
  return run.entries
    .filter(({ number, tick }) => number > after && tick.type !== "run.resumed" && tick.type !== "run.forked")
    .map((entry) => ({ entry, line: lineOf(entry, facts) }))
    .filter(({ line }) => line.kind !== "housekeeping");
}

/** Steps whose items are numbered differently in the two runs, as they were emitted in another order: numbers say nothing there. */
function looseSteps(a: ComparedRun, b: ComparedRun): ReadonlySet<string> {
  const [ofA, ofB] = [itemsByStep(a), itemsByStep(b)];
  const steps = new Set([...ofA.keys(), ...ofB.keys()]);
  return new Set([...steps].filter((step) => ofA.get(step) !== ofB.get(step)));
}

function itemsByStep({ attempts, runId }: ComparedRun): ReadonlyMap<string, string> {
  const byStep = groupBy(attempts, (one) => `${one.runId === runId ? "" : "child "}${one.step}`);
  const itemsOf = (list: readonly RunAttempt[]): string =>
    [...new Set(list.map(({ item }) => item))].sort((one, other) => one - other).join();
  return new Map([...byStep].map(([step, list]) => [step, itemsOf(list)]));
}

interface ContentFacts {
  readonly run: ComparedRun;
  readonly many: ReadonlySet<string>;
  readonly loose: ReadonlySet<string>;
  /** Attempts of a fork are counted on from those of its origin. */
  readonly isFork: boolean;
}

const contentFields = ["output", "event", "prompt", "accepts", "start"];

function contentOf({ entry }: ComparedTick, { run, many, loose, isFork }: ContentFacts): string {
  const { tick, step, item, attempt, runId, changes = [] } = entry;
  const isChild = runId !== run.runId;
  const isMany = step !== null && many.has(step);
  const name = `${isChild ? "child " : ""}${step ?? ""}`;
  return JSON.stringify([
    tick.type,
    name,
    loose.has(name) ? null : item,
    tick.type === "step.failed" && !isFork ? attempt : null,
    isOfPipeline(entry)
      ? [outputOf(tick), messageOf(tick["error"])]
      : isMany && (tick.type === "state.edited" || tick.type === "stream.written")
        ? changes.map(({ path }) => path.filter((key) => typeof key === "string"))
        : [
            contentFields.map((field) => tick[field] ?? null),
            tick.type === "effect.recorded" ? comparable(storedJson(tick["value"])) : null,
            messageOf(tick["error"]),
            changes.map(({ path, new: value }) => [path, value ?? null]),
          ],
  ]);
}

/** What it stores beside its output are times and places. */
function isOfPipeline({ tick }: HistoryEntry): boolean {
  return [tick["output"], tick["event"]].flat().some((event) => typeOf(event)?.startsWith("pipeline.") === true);
}

/** The record of a model call without how long the model took. */
export function comparable(value: Json): Json {
  if (!isModelRecord(value)) return value;
  const { metrics: _metrics, timeToFirstToken: _time, ...rest } = value as JsonObject;
  return rest;
}

/** For each tick of the left its place on the right, or -1. */
function twinsOf(left: readonly string[], right: readonly string[]): readonly number[] {
  const places = groupBy(right.keys(), (place) => right[place] as string);
  return left.map((key) => places.get(key)?.shift() ?? -1);
}

/** In the order of the left side; ticks of the right side alone are inserted at their place. */
function pairs(left: readonly ComparedTick[], right: readonly ComparedTick[], twins: readonly number[]): TickPair[] {
  const taken = new Set(twins);
  const rows: TickPair[] = [];
  let next = 0;
  const skipTaken = (): void => {
    while (next < right.length && taken.has(next)) next++;
  };
  const flush = (before: number): void => {
    for (skipTaken(); next < Math.min(before, right.length); skipTaken()) {
      rows.push({ a: null, b: right[next++] as ComparedTick, isEqual: false });
    }
  };
  for (const [index, tick] of left.entries()) {
    const twin = twins[index] as number;
    if (twin >= 0) {
      flush(twin);
      rows.push({ a: tick, b: right[twin] as ComparedTick, isEqual: true });
      continue;
    }
    skipTaken();
    const beside = right[next];
    const isSameKind =
      beside !== undefined && beside.entry.tick.type === tick.entry.tick.type && beside.entry.step === tick.entry.step;
    if (isSameKind) next++;
    rows.push({ a: tick, b: isSameKind ? beside : null, isEqual: false });
  }
  flush(right.length);
  return rows;
}
