/** The steps of a run as a tree: one row for each step of a run, with the counts of its items; children below the step that runs them. */
import type { AttemptStatus, CallStatus, RunCall } from "@millrace/client";
import { readableCall } from "millrace/engine";
import { durationText } from "../output/format.js";
import type { Style } from "../output/terminal.js";

/** What has happened to one item of a step. */
export interface StepChange {
  readonly runId: string;
  readonly step: string;
  readonly item: number;
  readonly attempt: number;
  readonly status: AttemptStatus;
  readonly atMs: number;
  readonly elapsedMs: number | null;
  /** Of a failure; what it waits for. */
  readonly note: string | null;
  /** Its calls of `ctx.run`; left out where they are not known. */
  readonly calls?: readonly RunCall[];
  /** Number of calls that are not among them. */
  readonly moreCalls?: number;
}

export interface ChildStart {
  readonly parentRunId: string;
  readonly step: string;
  readonly runId: string;
  readonly workflow: string;
}

export interface StepListener {
  has(runId: string): boolean;
  add(child: ChildStart): void;
  change(change: StepChange): void;
}

interface Item extends StepChange {
  readonly startedAtMs: number;
}

interface Row {
  readonly step: string;
  readonly items: Map<number, Item>;
  readonly children: string[];
}

/** A line of the tree: pieces with their styles. */
export type TreeLine = readonly (readonly [text: string, style: Style | null])[];

/** Those come first that say the most of a step with several items. */
const signs: Readonly<Record<AttemptStatus, readonly [string, Style]>> = {
  running: ["●", "cyan"],
  retrying: ["↻", "yellow"],
  waiting: ["◌", "yellow"],
  restarted: ["↻", "dim"],
  queued: ["·", "dim"],
  failed: ["✖", "red"],
  cancelled: ["⊘", "dim"],
  completed: ["✔", "green"],
};
const order = Object.keys(signs) as AttemptStatus[];

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export class StepTree {
  readonly #root: string;
  readonly #runs: Map<string, Map<string, Row>> = new Map();
  readonly #names: Map<string, string> = new Map();

  constructor(runId: string) {
    this.#root = runId;
    this.#runs.set(runId, new Map());
  }

  /** Whether the run is this one, or a child of it. */
  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  add({ parentRunId, step, runId, workflow }: ChildStart): void {
    if (this.#runs.has(runId)) return;
    this.#runs.set(runId, new Map());
    this.#names.set(runId, workflow);
    this.#row(parentRunId, step).children.push(runId);
  }

  change(change: StepChange): void {
    const { items } = this.#row(change.runId, change.step);
    const known = items.get(change.item);
    const startedAtMs = known !== undefined && known.attempt === change.attempt ? known.startedAtMs : change.atMs;
    items.set(change.item, { ...change, startedAtMs });
  }

  #row(runId: string, step: string): Row {
    let rows = this.#runs.get(runId);
    if (rows === undefined) this.#runs.set(runId, (rows = new Map()));
    let row = rows.get(step);
    if (row === undefined) rows.set(step, (row = { step, items: new Map(), children: [] }));
    return row;
  }

  /** @param frame Of the spinner; null draws a steady sign. */
  lines(nowMs: number, frame: number | null): TreeLine[] {
    return this.#linesOf(this.#root, { nowMs, frame, indent: "" });
  }

  #linesOf(runId: string, look: Look): TreeLine[] {
    const rows = [...(this.#runs.get(runId)?.values() ?? [])];
    const below = { ...look, indent: `${look.indent}  ` };
    return rows.flatMap((row) => [
      lineOf(row, look),
      ...callLines(row, below),
      ...row.children.flatMap((child) => this.#linesOf(child, below)),
    ]);
  }
}

interface Look {
  readonly nowMs: number;
  readonly frame: number | null;
  readonly indent: string;
}

function lineOf({ step, items }: Row, { nowMs, frame, indent }: Look): TreeLine {
  const all = [...items.values()];
  const status = worst(all);
  const [sign, style] = signs[status];
  const shown = status === "running" && frame !== null ? (spinner[frame % spinner.length] ?? sign) : sign;
  return [
    [`${indent}${shown} `, style],
    [step, null],
    [`  ${all.length === 1 && all[0] ? itemText(all[0], nowMs) : countsText(all)}`, "dim"],
  ];
}

/** As a call is shown: in the words and signs of an attempt. */
const callStatus: Readonly<Record<CallStatus, AttemptStatus>> = {
  running: "running",
  waiting: "retrying",
  completed: "completed",
  failed: "failed",
  interrupted: "restarted",
};

const MAX_CALL_LINES = 20;

/** The calls of a step with one item: the last ones. */
function callLines({ items }: Row, { nowMs, indent }: Look): TreeLine[] {
  const [item, another] = items.values();
  if (item?.calls === undefined || another !== undefined) return [];
  const { calls, moreCalls = 0 } = item;
  const shown = calls.slice(-MAX_CALL_LINES);
  const hidden = calls.length + moreCalls - shown.length;
  const lines = shown.map((call) => callLine(call, { nowMs, indent }));
  return hidden === 0 ? lines : [[[`${indent}… ${hidden} more calls`, "dim"]], ...lines];
}

function callLine(call: RunCall, { nowMs, indent }: Pick<Look, "nowMs" | "indent">): TreeLine {
  const { startedAtMs, endedAtMs, attempts: attempt, error } = call;
  const status = callStatus[call.status];
  const [sign, style] = signs[status];
  const elapsedMs = endedAtMs === null ? null : endedAtMs - startedAtMs;
  const note = call.status === "completed" ? null : (error?.message ?? null);
  return [
    [`${indent}${sign} `, style],
    [call.label ?? readableCall(call.call), null],
    [`  ${itemText({ status, attempt, elapsedMs, note, startedAtMs }, nowMs)}`, "dim"],
  ];
}

function worst(items: readonly Item[]): AttemptStatus {
  return order.find((status) => items.some((item) => item.status === status)) ?? "queued";
}

function countsText(items: readonly Item[]): string {
  const counts = [...order].reverse().flatMap((status) => {
    const count = items.filter((item) => item.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return `×${items.length}  ${counts.join(", ")}`;
}

export function itemText(
  item: Pick<StepChange, "status" | "attempt" | "elapsedMs" | "note"> & { readonly startedAtMs?: number },
  nowMs: number,
): string {
  const { status, attempt, elapsedMs, note, startedAtMs } = item;
  const ms = elapsedMs ?? (status === "running" && startedAtMs !== undefined ? nowMs - startedAtMs : null);
  // What is quick needs no time that flickers.
  const time = ms === null || (elapsedMs === null && ms < 1_000) ? null : durationText(ms);
  const tries = attempt > 1 ? `attempt ${attempt}` : null;
  return [status === "completed" || status === "running" ? null : status, time, tries, note]
    .filter((part) => part !== null)
    .join("  ");
}

/** What a step waits for. */
export function waitText(kind: "event" | "sleep" | "child" | "retry", untilMs: number | null): string {
  const until = untilMs === null ? "" : ` until ${new Date(untilMs).toLocaleTimeString()}`;
  if (kind === "sleep" && untilMs !== null) return until.trim();
  if (kind === "retry") return `for the next attempt of a call${until}`;
  return `for ${kind === "event" ? "an event" : "a child"}`;
}
