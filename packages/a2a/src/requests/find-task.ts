/** Finds tasks. A run that this door has not started, or that belongs to another tenant, reads as not found. */

import type { Right } from "@millrace/server/door";
import { WorkflowError } from "millrace";
import type { RunHandle, RunListing } from "millrace/runtime";
import type { FoundTask } from "../tasks/found-task.types.js";
import { contextLabel } from "../tasks/run-task.js";
import { malformed, taskUnknown } from "../wire/errors.js";
import type { Caller } from "./caller.js";
import type { TaskHost } from "./task-host.types.js";

interface TaskName {
  readonly taskId: string;
  /** As the request names it; empty for none. */
  readonly tenant: string;
  readonly right?: Right;
}

/** @throws {HttpError} `RUN_UNKNOWN`, `BODY_INVALID`, `FORBIDDEN` without the right, which is `read` if none is named. */
export async function findTask(
  host: TaskHost,
  { taskId, tenant, right = "read" }: TaskName,
  caller: Caller,
): Promise<FoundTask> {
  if (taskId.trim() === "") throw malformed("The id of the task is empty.");
  if (!isOwnTenant(tenant, caller)) throw taskUnknown(taskId);
  const handle = host.runtime.handle(taskId, { tenant: caller.tenant });
  const summary = await summaryOf(handle);
  if (summary === null || !isTask(host, summary)) throw taskUnknown(taskId);
  caller.assertMay(right, summary.workflow);
  return { handle, contextId: summary.labels[contextLabel] as string };
}

/** A request may name its tenant. The tenant that counts is that of the credentials. */
export function isOwnTenant(named: string, { tenant }: Caller): boolean {
  return named === "" || named === tenant;
}

export function isTask({ skills }: TaskHost, { labels, workflow }: RunListing): boolean {
  return labels[contextLabel] !== undefined && Object.hasOwn(skills, workflow);
}

async function summaryOf(handle: RunHandle): Promise<RunListing | null> {
  try {
    return await handle.summary();
  } catch (error) {
    if (WorkflowError.is(error, "RUN_UNKNOWN") || WorkflowError.is(error, "OPTION_INVALID")) return null;
    throw error;
  }
}
