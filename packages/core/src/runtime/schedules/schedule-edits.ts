/**
 * Edits of a schedule, and what becomes of them when code sets the schedule again: decision 55. Pure.
 *
 * @module
 */
import type { Editable, StoredEdit, StoredSchedule } from "./stored-schedule.js";

type Edited = Pick<StoredSchedule, "edited"> & Editable;
type Part = keyof Editable;
const parts: readonly Part[] = ["cron", "timezone", "event"];

/** What an edit is noted with. */
export type EditedBy = Omit<StoredEdit, "was">;

/** The schedule with the edit. A part that is then as `set` has said is not edited any more. */
export function edit(before: Edited, change: Partial<Editable>, by: EditedBy): Edited {
  const { cron, timezone, event } = before;
  return withEdits(said(before), { cron, timezone, event, ...change }, by);
}

/** As the last `set` said. */
export function said({ edited, cron, timezone, event }: Edited): Editable {
  return { cron, timezone, event, ...edited?.was };
}

/** What `set` makes of it: an edited part stays while `set` says of it what it said before the edit. */
export function setAgain<Set extends Editable & Pick<StoredSchedule, "workflow">>(
  before: (Edited & Pick<StoredSchedule, "workflow">) | null,
  set: Set,
): Set & Pick<StoredSchedule, "edited"> {
  if (before?.edited === undefined) return set;
  const { was, ...by } = before.edited;
  // The input of another workflow says nothing to this one.
  const mayStay = (part: Part): boolean => part !== "event" || before.workflow === set.workflow;
  const kept = parts.filter((part) => part in was && mayStay(part) && isSame(was[part], set[part]));
  const after = { ...set, ...Object.fromEntries(kept.map((part) => [part, before[part]])) };
  return { ...set, ...withEdits(set, after, by) };
}

function withEdits(set: Editable, after: Editable, by: EditedBy): Edited {
  const { cron, timezone, event } = after;
  const was = Object.fromEntries(
    parts.filter((part) => !isSame(set[part], after[part])).map((part) => [part, set[part]]),
  );
  return { cron, timezone, event, ...(Object.keys(was).length > 0 && { edited: { was, ...by } }) };
}

/** By their JSON, which both came from the same codec. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
