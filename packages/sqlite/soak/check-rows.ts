/** What must hold in the tables, whatever the runtime says of them. */
import type { DatabaseSync } from "node:sqlite";
import type { NoteKinds } from "./notes.js";

export interface RunRow {
  readonly id: number;
  readonly run_id: string;
  readonly status: string;
  readonly owner: string | null;
  readonly epoch: number;
  readonly ticks: number;
  readonly last_event: number;
}

type CommitNote = NoteKinds["commits"];

/** Gives the rows of all runs. */
export function checkRows(database: DatabaseSync, commits: readonly CommitNote[], problems: string[]): RunRow[] {
  const integrity = JSON.stringify(database.prepare("PRAGMA integrity_check").all());
  if (integrity !== '[{"integrity_check":"ok"}]') problems.push(`the file is damaged: ${integrity}`);
  const rows = database.prepare("SELECT * FROM runs ORDER BY id").all() as unknown as RunRow[];
  const byRun = groupByRun(commits);
  for (const row of rows) {
    const found = [
      ...(row.status === "completed" ? [] : [`is ${row.status}`]),
      ...(row.owner === null ? [] : [`is held by ${row.owner}`]),
      ...gapsOf(row, database),
      ...writersOf(row, byRun.get(row.run_id) ?? [], batchesOf(row, database)),
    ];
    problems.push(...found.map((problem) => `${row.run_id} ${problem}`));
  }
  return rows;
}

/** Of the events whose senders were told that the run had ended: their positions, by run. */
export function unansweredPosts(database: DatabaseSync): Map<string, number[]> {
  const rows = database
    .prepare("SELECT run_id, position FROM posts JOIN runs ON runs.id = run WHERE receipt IS NULL")
    .all() as unknown as { readonly run_id: string; readonly position: number }[];
  const byRun = new Map<string, number[]>();
  for (const { run_id, position } of rows) byRun.set(run_id, [...(byRun.get(run_id) ?? []), position]);
  return byRun;
}

interface Batch {
  readonly first: number;
  readonly last: number;
}

function batchesOf({ id }: RunRow, database: DatabaseSync): Batch[] {
  return database.prepare("SELECT first, last FROM ticks WHERE run = ? ORDER BY last").all(id) as unknown as Batch[];
}

function gapsOf(row: RunRow, database: DatabaseSync): string[] {
  const problems: string[] = [];
  let next = 1;
  for (const { first, last } of batchesOf(row, database)) {
    if (first !== next) problems.push(`has a batch from tick ${first} where ${next} comes next`);
    next = last + 1;
  }
  if (row.ticks !== next - 1) problems.push(`has ${row.ticks} ticks, and ${next - 1} are stored`);
  const events = database.prepare("SELECT sequence FROM events WHERE run = ? ORDER BY sequence").all(row.id);
  const isGapless = events.every((event, index) => event["sequence"] === index);
  if (!isGapless || events.length !== row.last_event + 1) problems.push(`has a gap in its ${events.length} events`);
  return problems;
}

/** One owner for each epoch, and epochs that rise with the ticks: nobody writes after the next owner has come. */
function writersOf({ epoch }: RunRow, notes: readonly CommitNote[], batches: readonly Batch[]): string[] {
  const problems: string[] = [];
  const owners = new Map<number, string>();
  let highest = 0;
  for (const { first, last } of batches) {
    const [writer, ...others] = writersOfBatch(notes, first, last);
    if (writer === undefined || others.length > 0) {
      problems.push(`has ${others.length + (writer ? 1 : 0)} writers of the ticks ${first} to ${last}`);
      continue;
    }
    const owner = `${writer.pid} ${writer.owner}`;
    if ((owners.get(writer.epoch) ?? owner) !== owner) problems.push(`has two owners of epoch ${writer.epoch}`);
    if (writer.epoch < highest)
      problems.push(`has ticks ${first} to ${last} of epoch ${writer.epoch} after ${highest}`);
    owners.set(writer.epoch, owner);
    highest = Math.max(highest, writer.epoch);
  }
  if (highest > epoch) problems.push(`has epoch ${epoch}, below that of its ticks`);
  return problems;
}

/** Who was told that it is stored; else who may have died before. */
function writersOfBatch(notes: readonly CommitNote[], first: number, last: number): CommitNote[] {
  const same = notes.filter((note) => note.first === first && note.last === last);
  const stored = same.filter(({ status }) => status === "stored");
  if (stored.length > 0) return stored;
  const answered = new Set(same.filter(({ status }) => status !== "asked").map(writerText));
  return same.filter((note) => note.status === "asked" && !answered.has(writerText(note)));
}

function writerText({ pid, owner, epoch }: CommitNote): string {
  return `${pid} ${owner} ${epoch}`;
}

function groupByRun(notes: readonly CommitNote[]): Map<string, CommitNote[]> {
  const byRun = new Map<string, CommitNote[]>();
  for (const note of notes) {
    const of = byRun.get(note.runId);
    if (of === undefined) byRun.set(note.runId, [note]);
    else of.push(note);
  }
  return byRun;
}
