/**
 * Converts errors of PostgreSQL and of the connection to errors of Millrace, and decides which of them may be retried.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 * @module
 */
import { WorkflowError, type WorkflowErrorOptions } from "millrace";

/** Codes that the functions of the schema raise: a row, a lane or an owner is not as the client remembers it. */
export const mismatchCodes = { state: "MR001", lane: "MR002" } as const;

/**
 * - `repeat`: the server has rolled back because of others; the same again may succeed at once.
 * - `wait`: the server has refused and changed nothing; it may take it later.
 * - `lost`: no answer. The last request may have been executed.
 * - `final`: asked again, it fails again.
 */
export type Failure = "repeat" | "wait" | "lost" | "final";

// 23505: another process was faster to add a row.
const repeated = new Set<string>([mismatchCodes.state, mismatchCodes.lane, "40P01", "40001", "23505"]);
const waited = new Set(["25006", "53300", "53200", "57P03", "55P03"]);
const cut = new Set(["57P01", "57P02", "57P05", "25P03", "25P04"]);

export function failureOf(error: unknown): Failure {
  if (WorkflowError.is(error)) return error.code === "STORE_BUSY" ? "wait" : "final";
  const state = sqlStateOf(error);
  if (state !== null) {
    if (repeated.has(state)) return "repeat";
    if (waited.has(state)) return "wait";
    return cut.has(state) || state.startsWith("08") ? "lost" : "final";
  }
  // Errors of the driver and the system are plain errors; mistakes in a program have a class.
  const isPlain = error instanceof AggregateError || (error instanceof Error && error.name === "Error");
  return isPlain && !error.message.startsWith("SASL") ? "lost" : "final";
}

/** The code from the server; `null` for an error that is not from the server. */
export function sqlStateOf(error: unknown): string | null {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : null;
}

type Plain = Pick<WorkflowErrorOptions, "code" | "message" | "hint">;

/** SQL states of locked rows: only the commits of those rows fail. */
const ofRows = new Set<string>(["40P01", "40001", "55P03", "23505", mismatchCodes.state]);
const unnamed =
  "Set `prepare: false`: a pooler in front of the server may use another connection for every transaction.";
const plain = (code: Plain["code"], message: string, hint: string): Plain => ({ code, message, hint });
const busy = plain(
  "STORE_BUSY",
  "others kept the rows locked, or all connections in use, for too long.",
  "Look into `pg_stat_activity` for transactions that stay open, and compare `max_connections` with your pools.",
);
const corrupt = plain("STORE_CORRUPT", "the server reports damaged files.", "Put back a backup of the database.");
const full = plain(
  "STORE_FULL",
  "there is no room left on the disk of the server. Nothing of this write was stored.",
  "Make room on the disk, then continue: everything stored before is there.",
);
const isStandby = "Connect to the primary server, and check `default_transaction_read_only`.";
const isGuest = "Make the role the owner of the schema, or let the owner open the store once and grant the rest.";
const isText = "Validate input from outside before you pass it on.";
const plainByState: ReadonlyMap<string, Plain> = new Map<string, Plain>([
  ...[...ofRows, "53300"].map((state) => [state, busy] as const),
  ["25006", plain("STORE_READ_ONLY", "the server accepts no writes.", isStandby)],
  ["42501", plain("STORE_READ_ONLY", "the role may not do that.", isGuest)],
  ["53100", full],
  ["XX001", corrupt],
  ["XX002", corrupt],
  ["22021", plain("OPTION_INVALID", "PostgreSQL cannot store a text with U+0000.", isText)],
]);

/** Converts anything that was thrown. An error of Millrace stays as it is. */
export function toStoreError(error: unknown, path: string, isUnknown = false): WorkflowError {
  if (WorkflowError.is(error)) return error;
  const { code, message, hint } = plainOf(error);
  const sqlState = sqlStateOf(error);
  const rows = code === "STORE_BUSY" && sqlState !== null && ofRows.has(sqlState) ? { rows: true } : {};
  const outcome = isUnknown ? " Whether the last write was stored could not be found out." : "";
  return new WorkflowError({
    code,
    message: `The store "${path}": ${message}${outcome}`,
    hint,
    details: { path, sqlState, ...rows, ...(isUnknown ? { outcome: "unknown" } : {}) },
    cause: error,
  });
}

function plainOf(error: unknown): Plain {
  const state = sqlStateOf(error);
  const known = state === null ? undefined : plainByState.get(state);
  if (known !== undefined) return known;
  const said = messageOf(error);
  const failure = failureOf(error);
  if (failure === "lost" || failure === "wait") {
    const message = `the database could not be reached for too long: ${said}`;
    return plain("STORE_UNREACHABLE", message, "Check that the server runs and that this machine can connect to it.");
  }
  const isPooled = state === "26000" || state === "42P05";
  return plain("STORE_FAILED", said, isPooled ? unnamed : "See `cause` for the error of PostgreSQL or its driver.");
}

/** All that failed, where several addresses of a server were tried. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(messageOf))].join("; ");
  const text = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function poolUsedUp(path: string, waitedMs: number): WorkflowError {
  return new WorkflowError({
    code: "STORE_BUSY",
    message: `The store "${path}": no connection was made or became free within ${waitedMs} ms.`,
    hint: "Raise the number of connections of the pool, or look for a part of the program that keeps one.",
    details: { path, waitedMs },
  });
}

export function damaged(path: string, what: string): WorkflowError {
  return new WorkflowError({
    code: "STORE_CORRUPT",
    message: `The store "${path}" is damaged: ${what}.`,
    hint: "Put back a backup of the database, or repair the row by hand.",
    details: { path },
  });
}
