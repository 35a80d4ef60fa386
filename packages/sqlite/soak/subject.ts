/** A file that is to survive. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunRow, SoakSubject } from "@millrace/conformance/soak";
import { sqliteStore } from "../src/index.js";

export function subjectIn(directory: string, durability: "power" | "process"): SoakSubject {
  const path = join(directory, "runs.db");
  return {
    script: join(import.meta.dirname, "workload.ts"),
    place: { path, durability },
    countUnderWay: () => countUnderWay(path),
    read: (problems) => readRows(path, problems),
    open: () => sqliteStore(path),
  };
}

function countUnderWay(path: string): number {
  if (!existsSync(path)) return 0; // killed before it had made the file
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare("SELECT count(*) AS runs FROM runs WHERE ended_at IS NULL").get();
    return (row as { readonly runs: number }).runs;
  } catch {
    return 0; // killed before it had made the tables
  } finally {
    database.close();
  }
}

type OwnColumns = Omit<RunRow, "batches" | "events" | "unanswered">;

function readRows(path: string, problems: string[]): RunRow[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string, ...values: number[]): unknown[] => database.prepare(sql).all(...values);
  const integrity = JSON.stringify(all("PRAGMA integrity_check"));
  if (integrity !== '[{"integrity_check":"ok"}]') problems.push(`the file is damaged: ${integrity}`);
  const runs = all("SELECT * FROM runs ORDER BY id") as (OwnColumns & { readonly id: number })[];
  const rows = runs.map((run) => ({
    ...run,
    batches: all("SELECT first, last FROM ticks WHERE run = ? ORDER BY last", run.id) as RunRow["batches"],
    events: numbers(all("SELECT sequence AS n FROM events WHERE run = ? ORDER BY sequence", run.id)),
    unanswered: numbers(all("SELECT position AS n FROM posts WHERE run = ? AND receipt IS NULL", run.id)),
  }));
  database.close();
  return rows;
}

function numbers(rows: unknown[]): number[] {
  return rows.map((row) => (row as { readonly n: number }).n);
}
