/** What the capacity page computes with. Each number is read where it stands since it was measured: nothing is copied. */
import { read } from "../gates/gate.mjs";

const postgres = "packages/postgres/bench/README.md";
const sqlite = "packages/sqlite/bench/README.md";
const core = "packages/core/bench/README.md";
const restate = "packages/restate/bench/README.md";

/** `row`: how one of the first two cells of a row begins; `cell`: which cell of that row. */
const sources = {
  engineMs: {
    what: "10,000 runs of 3 steps at once, no store",
    unit: "ms",
    page: core,
    row: "10,000 runs of 3 steps at once",
    cell: 4,
  },
  sqliteRate: {
    what: 'runs of 3 steps, SQLite, `durability: "process"`, 50 at once',
    unit: "runs/s",
    page: sqlite,
    row: "runs of 3 steps, 50 at once, NORMAL",
    cell: 4,
  },
  sqlitePowerRate: {
    what: 'the same with `durability: "power"`',
    unit: "runs/s",
    page: sqlite,
    row: "runs of 3 steps, 50 at once, FULL",
    cell: 4,
  },
  postgresRate: {
    what: "runs of 3 steps, PostgreSQL, one process, 50 at once",
    unit: "runs/s",
    page: postgres,
    row: "runs of 3 steps, 50 at once",
    cell: 4,
  },
  restateRate: {
    what: "runs of 3 steps, one server of Restate, 20 clients",
    unit: "runs/s",
    page: restate,
    row: "20 ",
    cell: 3,
  },
  claimRate: {
    what: "runs claimed from PostgreSQL, 8 claimers, 100,000 stored",
    unit: "runs/s",
    page: postgres,
    row: "`claimDue` by 8 at once",
    cell: 4,
  },
  renewalMs: {
    what: "a renewal of 10,000 runs, PostgreSQL",
    unit: "ms",
    page: postgres,
    row: "`renew` of 10,000 runs",
    cell: 4,
  },
  lookMs: {
    what: "a look for due runs, PostgreSQL, from question to answer",
    unit: "ms",
    page: postgres,
    row: "an empty round of a worker",
    cell: 4,
  },
  looks: {
    what: "looks of each worker, PostgreSQL",
    unit: "a run",
    page: postgres,
    row: "looks of each of 4 workers",
    cell: 3,
  },
  liveBytes: {
    what: "heap of a run that waits in memory",
    unit: "bytes",
    page: sqlite,
    row: "heap of a run that waits",
    cell: 5,
  },
  parkedBytes: {
    what: "heap of a run that waits in SQLite",
    unit: "bytes",
    page: sqlite,
    row: "heap of a run that waits",
    cell: 4,
  },
  memoryEnded: {
    what: "ended run of 3 steps, `memoryStore`, heap",
    unit: "bytes",
    page: sqlite,
    row: "a run that has ended after 3 steps",
    cell: 5,
  },
  memoryWaiting: {
    what: "waiting run, `memoryStore`, heap",
    unit: "bytes",
    page: sqlite,
    row: "a run that waits ",
    cell: 5,
  },
  sqliteEnded: {
    what: "ended run of 3 steps, SQLite, with indexes",
    unit: "bytes",
    page: sqlite,
    row: "a run that has ended after 3 steps",
    cell: 4,
  },
  sqliteWaiting: {
    what: "waiting run, SQLite, with indexes",
    unit: "bytes",
    page: sqlite,
    row: "a run that waits ",
    cell: 4,
  },
  sqliteTick: { what: "a tick, SQLite", unit: "bytes", page: sqlite, row: "a tick of runs of 1,000 steps", cell: 4 },
  postgresEnded: {
    what: "ended run of 3 steps, PostgreSQL, with indexes",
    unit: "bytes",
    page: postgres,
    row: "run of 3 steps that has ended, 50 at once: tables",
    cell: 3,
  },
  postgresLog: {
    what: "the same: write-ahead log",
    unit: "bytes",
    page: postgres,
    row: "run of 3 steps that has ended, 50 at once: log",
    cell: 3,
  },
  postgresWaiting: {
    what: "waiting run, PostgreSQL, with indexes",
    unit: "bytes",
    page: postgres,
    row: "run that waits, 50 at once: tables",
    cell: 3,
  },
  postgresWaitingLog: {
    what: "the same: write-ahead log",
    unit: "bytes",
    page: postgres,
    row: "run that waits, 50 at once: log",
    cell: 3,
  },
  postgresTick: {
    what: "a tick, PostgreSQL, with indexes",
    unit: "bytes",
    page: postgres,
    row: "tick of runs of 200 steps, 50 at once: tables",
    cell: 3,
  },
  postgresTickLog: {
    what: "the same: write-ahead log",
    unit: "bytes",
    page: postgres,
    row: "tick of runs of 200 steps, 50 at once: log",
    cell: 3,
  },
  renewalLog: {
    what: "a renewal of 10,000 runs, PostgreSQL: write-ahead log",
    unit: "bytes",
    page: postgres,
    row: "renewal of 10,000 runs: log",
    cell: 3,
  },
  queueFactor: {
    what: "claims of runs of a queue, PostgreSQL, over claims without",
    unit: "×",
    page: postgres,
    row: "claims of 5,000 runs of 100 keys of a queue",
    cell: 6,
  },
  restateFactor: {
    what: "latency of one run on Restate, over a handler written by hand",
    unit: "×",
    page: restate,
    row: "1 ",
    cell: 5,
  },
  postgresListFactor: {
    what: "first page of all, PostgreSQL, 100,000 stored over 1,000",
    unit: "×",
    page: postgres,
    row: "first page of all",
    cell: 6,
  },
  postgresRecoveryFactor: {
    what: "recovery of 100 runs, PostgreSQL, 100,000 stored over 1,000",
    unit: "×",
    page: postgres,
    row: "recovery of 100 runs",
    cell: 6,
  },
  sqliteListFactor: {
    what: "first page of all, SQLite, 100,000 stored over 1,000",
    unit: "×",
    page: sqlite,
    row: "first page of all",
    cell: 6,
  },
  sqliteRecoveryFactor: {
    what: "recovery of 100 runs, SQLite, 100,000 stored over 1,000",
    unit: "×",
    page: sqlite,
    row: "recovery of 100 runs",
    cell: 6,
  },
};

/** By name: what it is, and its number. */
export const measured = Object.fromEntries(
  Object.entries(sources).map(([name, source]) => [name, { ...source, value: numberIn(source) }]),
);

function numberIn({ page, row: start, cell }) {
  const rows = read(page)
    .split("\n")
    .map((line) => line.split("|").map((one) => one.trimStart()));
  const row = rows.find((cells) => cells.slice(1, 3).some((one) => one.startsWith(start)));
  const [digits] = /^\d[\d.,]*/.exec(row?.[cell] ?? "") ?? [];
  if (digits === undefined) throw new Error(`${page}: no number in cell ${cell} of "${start}"`);
  return Number(digits.replaceAll(",", ""));
}
