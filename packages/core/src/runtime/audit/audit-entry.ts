/** Entries of the audit, as records whose ids begin with the time that is left: lists of records then begin with the newest. */

import type { DoneBy, LiveRun, Tick } from "../../host.js";
import { systemIds } from "../../system/system.js";
import { toMs } from "../../value/duration.js";
import { formatValue } from "../../value/kind.js";
import { assertOption, pageSize, wrongOption } from "../../value/options.js";
import type { AuditAction, AuditEntry, AuditFilter, RuntimeAudit } from "../api/history.types.js";
import { checkCallOptions, checkNames } from "../options/call-options.js";
import type { RecordWrite, RunKey } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind, timeText } from "../text/record-text.js";
import type { RuntimeParts } from "../worker/workflows/registered-workflows.js";

const auditKind: string = ownKind("audit");

/** Upper bound of every time. */
const LAST_MS = 9e15;

/** Entries of this process so far: those of one millisecond stay in order. */
let made = 0;

/** The part of an id that begins every entry of this time, and comes before those of earlier times. */
function auditTime(atMs: number): string {
  return timeText(LAST_MS - atMs);
}

/** `by` is `undefined`: it is not known. */
export interface DoneToRun extends Omit<AuditEntry, "runId" | "by"> {
  readonly by: DoneBy | undefined;
}

/** The record of an entry. None for what a program does itself, which is the door `api` without a user. */
export function auditWrites({ tenant, runId }: RunKey, { by, ...done }: DoneToRun): RecordWrite[] {
  if (by === undefined || (by.door === "api" && by.user === undefined)) return [];
  const entry: AuditEntry = { ...done, runId, by };
  made += 1;
  const id = `${auditTime(done.atMs)} ${timeText(LAST_MS - made)} ${systemIds.runId()}`;
  return [{ tenant, kind: auditKind, id, expected: 0, text: JSON.stringify(entry) }];
}

// ---- audit entries that the ticks of a commit add

export interface AuditedRun {
  readonly key: RunKey;
  readonly workflow: string;
  /** The run, or the child that the ticks belong to. */
  readonly runner: LiveRun;
}

/** The entries of ticks that are about to be stored. That of a start is stored with the run. */
export function auditOfTicks({ key, workflow, runner }: AuditedRun, ticks: readonly Tick[]): RecordWrite[] {
  const writes: RecordWrite[] = [];
  const answered = new Set<string>();
  for (const tick of ticks) {
    if (!("by" in tick) || tick.by === undefined) continue;
    const done = doneBy(tick, runner, answered);
    if (done !== null) writes.push(...auditWrites(key, { ...done, atMs: tick.atMs, workflow, by: tick.by }));
  }
  return writes;
}

type Done = Pick<AuditEntry, "action" | "promptId">;

/** Returns who did what with the tick; `null` if it was decided elsewhere, or comes too late. */
function doneBy(tick: Tick, { state, parent }: LiveRun, answered: Set<string>): Done | null {
  if (tick.type === "event.received") {
    const { promptId } = tick;
    if (promptId === null) return { action: "send" };
    if (answered.has(promptId) || state.prompts?.has(promptId) !== true) return null;
    answered.add(promptId);
    return { action: "answer", promptId };
  }
  // A child continues with its run.
  const action = parent === null ? actions[tick.type] : undefined;
  return action === undefined ? null : { action };
}

const actions: { readonly [Type in Tick["type"]]?: AuditEntry["action"] } = {
  "run.cancelled": "cancel",
  "run.resumed": "resume",
  "run.retried": "retry",
};

/** How many entries one page looks at. */
const WINDOW = 5_000;
/** Fewer are not worth a read: the page stays short. */
const LEAST_READ = 20;
const PAGE = 500;

const known: readonly AuditAction[] = [
  ...(["start", "fork", "answer", "send", "cancel", "resume", "retry", "delete"] as const),
  ...(["queue.pause", "queue.resume", "queue.limit", "queue.reset"] as const),
  ...(["schedule.set", "schedule.pause", "schedule.resume", "schedule.edit", "schedule.reset"] as const),
  ...(["schedule.start", "schedule.delete"] as const),
];

/** The entries of a store. */
export function storedAudit({ store, clock }: Pick<RuntimeParts, "store" | "clock">): RuntimeAudit {
  return {
    async list(filter = {}) {
      checkCallOptions("audit.list", filter);
      const { tenant = "", limit = 100, cursor: from } = filter;
      const size = pageSize(limit);
      checkFilter(filter);
      const entries: AuditEntry[] = [];
      let cursor: string | null = from ?? null;
      for (let looked = 0; ; ) {
        const query = { tenant, kind: auditKind, limit: size - entries.length };
        const page = await store.records({ ...query, ...(cursor !== null && { cursor }) });
        const read = page.records.map(({ id, text }) => parseJson(text, `audit entry "${id}"`) as AuditEntry);
        entries.push(...read.filter((entry) => matches(entry, filter)));
        looked += page.records.length;
        cursor = page.cursor;
        const isFull = size - entries.length < Math.min(size, LEAST_READ);
        if (cursor === null || isFull || looked >= WINDOW) return { entries, cursor };
      }
    },
    async delete(options) {
      checkCallOptions("audit.delete", options);
      const { tenant = "" } = options;
      checkNames({ tenant });
      const before = auditTime(clock.now() - toMs(options.olderThan, "olderThan"));
      let deleted = 0;
      const query = { tenant, kind: auditKind, limit: PAGE };
      for await (const { records } of allPages((from) => store.records({ ...query, ...from }))) {
        const old = records.filter(({ id }) => id > before);
        if (old.length === 0) continue;
        const writes = old.map(({ kind, id, version }) => ({ tenant, kind, id, expected: version, text: null }));
        // The write conflicts if another process deletes the same entries.
        if ((await store.writeRecords(writes)).length === 0) deleted += old.length;
      }
      return deleted;
    },
  };
}

/** @throws {WorkflowError} `OPTION_INVALID` for what could match nothing. */
function checkFilter({ tenant, runId, user, door, action, workflows }: AuditFilter): void {
  checkNames({ tenant, runId });
  if (user !== undefined) assertOption(typeof user === "string", "user", "a text");
  if (door !== undefined) assertOption(typeof door === "string", "door", "a text");
  if (workflows !== undefined) assertOption(Array.isArray(workflows), "workflows", "a list of names");
  if (action !== undefined && !known.includes(action))
    throw wrongOption("action", `is ${formatValue(action)}, not one of ${known.join(", ")}`, "Give one of these.");
}

function matches(entry: AuditEntry, { user, door, action, runId, workflows }: AuditFilter): boolean {
  const isOne = (wanted: string | undefined, has: string | undefined): boolean =>
    wanted === undefined || wanted === has;
  const { by } = entry;
  const isOfCaller = isOne(user, by.user) && isOne(door, by.door);
  const isOfRun = isOne(runId, entry.runId) && workflows?.includes(entry.workflow) !== false;
  return isOfCaller && isOfRun && isOne(action, entry.action);
}
