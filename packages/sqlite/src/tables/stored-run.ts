import { plainSql, type Sql, sql, statusOfText } from "millrace/engine";
import type { RunKey, StoredRun, StoredStatus } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import { Row } from "../connection/row.js";

/** A run with its number in this file. */
export interface NumberedRun {
  readonly id: number;
  readonly run: StoredRun;
}

/** The columns that {@link toRun} reads, of `runs AS r` and `starts AS s`. */
const columns: string = `r.id, r.tenant, r.run_id, r.workflow, r.status, r.epoch, r.ticks, r.last_event, r.created_at, r.updated_at,
  r.ended_at, r.wake_at, r.owner, r.lease_until, r.waiting, r.outcome, r.queue, r.queue_key, r.priority, r.place, r.version,
  s.run AS start_run, s.code, s.start_at, s.forked_run_id, s.forked_tick, s.input,
  (SELECT json_group_array(json_array(l.name, l.value)) FROM labels AS l WHERE l.run = r.id) AS labels`;

/** SQL that selects rows for {@link toRun}. `source` names `runs AS r`. */
export function selectRuns(source: Sql, rest: Sql): Sql {
  // LEFT, so that a run without its other half is reported as damaged and not missed.
  return sql`SELECT ${plainSql(columns)} FROM ${source} LEFT JOIN starts AS s ON s.run = r.id ${rest}`;
}

const oneRun = (where: string): string => selectRuns(plainSql("runs AS r"), plainSql(where)).render(() => "?").text;
const byKey = oneRun("WHERE r.tenant = ? AND r.run_id = ?");
const byId = oneRun("WHERE r.id = ?");

export function findRun(database: Database, key: RunKey): NumberedRun | null {
  const values = database.sql(byKey).get(key.tenant, key.runId);
  return values === undefined ? null : toRun(database.path, values);
}

export function loadRun(database: Database, id: number): NumberedRun | null {
  const values = database.sql(byId).get(id);
  return values === undefined ? null : toRun(database.path, values);
}

/** Reads a row of {@link selectRuns}. */
export function toRun(path: string, values: unknown): NumberedRun {
  const { tenant, run_id: runId } = values as { readonly tenant: unknown; readonly run_id: unknown };
  const named = `${tenant}/${runId}`;
  const row = new Row({ path, table: "runs", key: named }, values);
  const started = new Row({ path, table: "starts", key: named }, values);
  started.integer("start_run"); // NULL when the row in `starts` is missing
  return {
    id: row.integer("id"),
    run: {
      key: { tenant: row.text("tenant"), runId: row.text("run_id") },
      workflow: row.text("workflow"),
      version: row.textOrNull("version"),
      status: toStatus(row),
      epoch: row.integer("epoch"),
      ticks: row.integer("ticks"),
      lastEvent: row.integer("last_event"),
      createdAtMs: row.integer("created_at"),
      updatedAtMs: row.integer("updated_at"),
      endedAtMs: row.integerOrNull("ended_at"),
      wakeAtMs: row.integerOrNull("wake_at"),
      lease: toLease(row),
      waiting: row.textOrNull("waiting"),
      outcome: row.textOrNull("outcome"),
      code: started.text("code"),
      startAtMs: started.integer("start_at"),
      forkedFrom: toOrigin(started),
      input: started.text("input"),
      labels: Object.fromEntries(JSON.parse(row.text("labels"))),
      queue: toTicket(row),
      hasPlace: row.integerOrNull("place") === 1,
    },
  };
}

function toStatus(row: Row): StoredStatus {
  return statusOfText(row.text("status")) ?? row.damaged("status", "one of a run");
}

function toLease(row: Row): StoredRun["lease"] {
  const owner = row.textOrNull("owner");
  return owner === null ? null : { owner, untilMs: row.integer("lease_until") };
}

function toTicket(row: Row): StoredRun["queue"] {
  const name = row.textOrNull("queue");
  return name === null ? null : { name, key: row.text("queue_key"), priority: row.integer("priority") };
}

function toOrigin(row: Row): StoredRun["forkedFrom"] {
  const runId = row.textOrNull("forked_run_id");
  return runId === null ? null : { runId, tick: row.integer("forked_tick") };
}
