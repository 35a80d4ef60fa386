/** The statements of queues. A list of workflows is JSON, bound twice; `NULL` for all. */

import { linedUpSql } from "millrace/engine";

const isLater = "queue = ? AND owner IS NULL AND ended_at IS NULL AND place IS NULL";
const isPosted = `${isLater} AND posted_at IS NOT NULL AND status <> 'scheduled'`;
const ofWorkflows = "(? IS NULL OR workflow IN (SELECT value FROM json_each(?)))";

// ---- runs that come into the line
export const due: string = `SELECT id, queue, queue_key AS key, wake_at AS atMs FROM runs INDEXED BY runs_queue_due
  WHERE ${isLater} AND wake_at <= ?`;
export const posted: string = `SELECT id, queue, queue_key AS key, min(posted_at, coalesce(wake_at, posted_at)) AS atMs
  FROM runs INDEXED BY runs_queue_posted WHERE ${isPosted}`;
export const expired: string = `SELECT id, queue, queue_key AS key, lease_until AS atMs FROM runs
  WHERE owner = ? AND lease_until <= ? AND ended_at IS NULL AND queue IN (SELECT value FROM json_each(?))`;
export const endLease = "UPDATE runs SET owner = NULL, lease_until = NULL WHERE id = ?";
export const lineUp: string = `UPDATE runs SET place = 0, status = ${linedUpSql("status")} WHERE id = ?`;
export const firstLater: string = `SELECT wake_at AS atMs FROM runs INDEXED BY runs_queue_due
  WHERE ${isLater} AND wake_at IS NOT NULL AND ${ofWorkflows} ORDER BY wake_at LIMIT 1`;
export const firstPosted: string = `SELECT posted_at AS atMs FROM runs INDEXED BY runs_queue_posted
  WHERE ${isPosted} AND ${ofWorkflows} ORDER BY posted_at LIMIT 1`;

// ---- places
export const held = "SELECT count(*) AS count FROM runs WHERE queue = ? AND place = 1 AND ended_at IS NULL";
export const takePlace = "UPDATE runs SET place = 1, rate_counted = 1 WHERE id = ?";

// ---- keys in the order of their turns, each with room and with a run in line
const heldByKey = `SELECT count(*) FROM runs
  WHERE queue = k.queue AND queue_key = k.queue_key AND place = 1 AND ended_at IS NULL`;
/** Places of a key are counted only where its number is limited: that limit is bound twice. */
const keysOf = (hasRun: string): string => `SELECT k.queue_key AS key, k.turn,
    CASE WHEN ? IS NULL THEN 0 ELSE (${heldByKey}) END AS held
  FROM queue_keys AS k WHERE k.queue = ? AND held < coalesce(?, 1) AND ${hasRun} ORDER BY k.turn LIMIT ? + 0`;
export const keysInTurn: string = keysOf(`EXISTS (SELECT 1 FROM runs
  WHERE queue = k.queue AND queue_key = k.queue_key AND place = 0 AND ${ofWorkflows})`);
export const keysAgain: string = keysOf(`k.queue_key IN (SELECT queue_key FROM runs
  WHERE queue = ? AND place = 0 AND rate_counted = 1 AND ${ofWorkflows})`);
const lastTurn = "(SELECT coalesce(max(turn), 0) + 1 FROM queue_keys WHERE queue = ?)";
export const addKey: string = `INSERT INTO queue_keys (queue, queue_key, turn) VALUES (?, ?, ${lastTurn}) ON CONFLICT DO NOTHING`;
export const toTheEnd: string = `UPDATE queue_keys SET turn = ${lastTurn} WHERE queue = ? AND queue_key = ?`;
export const removeEmptyKeys: string = `DELETE FROM queue_keys WHERE queue = ? AND turn <= ? AND NOT EXISTS (SELECT 1 FROM runs
  WHERE queue = queue_keys.queue AND queue_key = queue_keys.queue_key AND place = 0)`;

// ---- runs of a key, in the order in which they get a place
const headsOf = (more: string): string => `SELECT id, queued_at AS queuedAtMs, rate_counted AS hadPlace FROM runs
  WHERE queue = ? AND queue_key = ? AND place = 0${more} AND ${ofWorkflows}
  ORDER BY priority DESC, queued_at, id LIMIT ? + 0`;
export const heads: string = headsOf("");
export const headsAgain: string = headsOf(" AND rate_counted = 1");

// ---- first places, which rates count
export const starts = "SELECT count(*) AS count FROM queue_starts WHERE queue = ? AND at_ms > ? AND at_ms < ?";
export const startAt = "SELECT at_ms AS atMs FROM queue_starts WHERE queue = ? ORDER BY at_ms DESC LIMIT 1 OFFSET ?";
export const addStart = "INSERT INTO queue_starts (queue, at_ms) VALUES (?, ?)";
export const forgetStarts: string = `DELETE FROM queue_starts
  WHERE queue = ? AND at_ms <= ? - (SELECT longest_ms FROM queue_windows WHERE queue = ?)`;
export const noteWindow: string = `INSERT INTO queue_windows (queue, longest_ms) VALUES (?, ?)
  ON CONFLICT DO UPDATE SET longest_ms = excluded.longest_ms WHERE excluded.longest_ms > longest_ms`;
