/** What must hold in the tables, whatever the runtime says of them. */
import { type NoteKinds, notesBy } from "./notes.js";

export interface RunRow {
  readonly run_id: string;
  readonly status: string;
  readonly owner: string | null;
  readonly epoch: number;
  readonly ticks: number;
  readonly last_event: number;
  /** In order. */
  readonly batches: readonly Batch[];
  /** Numbers of the streamed events, in order. */
  readonly events: readonly number[];
  /** Positions of the events that were answered with the end of the run. */
  readonly unanswered: readonly number[];
}

interface Batch {
  readonly first: number;
  readonly last: number;
}

type CommitNote = NoteKinds["commits"];

export function checkRows(rows: readonly RunRow[], commits: readonly CommitNote[], problems: string[]): void {
  const byRun = notesBy(commits, ({ runId }) => runId);
  for (const row of rows) {
    const found = [
      ...(row.status === "completed" ? [] : [`is ${row.status}`]),
      ...(row.owner === null ? [] : [`is held by ${row.owner}`]),
      ...gapsOf(row),
      ...writersOf(row, byRun.get(row.run_id) ?? []),
    ];
    problems.push(...found.map((problem) => `${row.run_id} ${problem}`));
  }
}

function gapsOf(row: RunRow): string[] {
  const problems: string[] = [];
  let next = 1;
  for (const { first, last } of row.batches) {
    if (first !== next) problems.push(`has a batch from tick ${first} where ${next} comes next`);
    next = last + 1;
  }
  if (row.ticks !== next - 1) problems.push(`has ${row.ticks} ticks, and ${next - 1} are stored`);
  const { events } = row;
  const isGapless = events.every((event, index) => event === index);
  if (!isGapless || events.length !== row.last_event + 1) problems.push(`has a gap in its ${events.length} events`);
  return problems;
}

/** One owner for each epoch, and epochs that rise with the ticks: an owner writes nothing after the next has come. */
function writersOf({ epoch, batches }: RunRow, notes: readonly CommitNote[]): string[] {
  const problems: string[] = [];
  const owners = new Map<number, string>();
  let highest = 0;
  for (const { first, last } of batches) {
    const [writer, ...others] = writersOfBatch(notes, first, last);
    if (writer === undefined || others.some(isStored)) {
      problems.push(`has ${others.length + (writer ? 1 : 0)} writers of the ticks ${first} to ${last}`);
      continue;
    }
    if (others.length > 0) continue; // all of them died before the answer of the store: one of them has written it
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

/** The writers that the store has answered; else those that may have died before. */
function writersOfBatch(notes: readonly CommitNote[], first: number, last: number): CommitNote[] {
  const same = notes.filter((note) => note.first === first && note.last === last);
  const stored = same.filter(isStored);
  if (stored.length > 0) return stored;
  const answered = new Set(same.filter(({ status }) => status !== "asked").map(writerText));
  return same.filter((note) => note.status === "asked" && !answered.has(writerText(note)));
}

function isStored({ status }: CommitNote): boolean {
  return status === "stored";
}

function writerText({ pid, owner, epoch }: CommitNote): string {
  return `${pid} ${owner} ${epoch}`;
}
