/** What the ticks of a commit add to the audit. */
import type { LiveRun, Tick } from "../../host.js";
import type { AuditEntry } from "../api/audit.types.js";
import type { RecordWrite, RunKey } from "../store/run-store.types.js";
import { auditWrites } from "./audit-entry.js";

export interface AuditedRun {
  readonly key: RunKey;
  readonly workflow: string;
  /** The run, or the child that the ticks belong to. */
  readonly runner: LiveRun;
}

/** The entries of ticks that are about to be stored. That of a start is stored with the run. */
export function auditOfTicks({ key, workflow, runner }: AuditedRun, ticks: readonly Tick[]): RecordWrite[] {
  const answered = new Set<string>();
  return ticks.flatMap((tick) => {
    if (!("by" in tick) || tick.by === undefined) return [];
    const done = doneBy(tick, runner, answered);
    return done === null ? [] : auditWrites(key, { ...done, atMs: tick.atMs, workflow, by: tick.by });
  });
}

type Done = Pick<AuditEntry, "action" | "promptId">;

/** `null`: it was decided elsewhere, or comes too late. */
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
