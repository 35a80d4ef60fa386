/** Lists tasks: pages of runs of the caller. */
import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from "@a2a-js/sdk";
import { WorkflowError } from "millrace";
import type { RunHandle, RunListing } from "millrace/runtime";
import { artifactsOf, contextLabel, taskLabel, taskOf } from "../tasks/run-task.js";
import { standingOf, statusesOf } from "../tasks/task-state.js";
import { malformed } from "../wire/errors.js";
import type { Caller } from "./caller.js";
import { isOwnTenant, isTask } from "./find-task.js";
import type { TaskHost } from "./task-host.types.js";

const defaultPageSize = 50;

/** The newest come first. Tasks that do not fit are left out of a page, so it may be short and still have a token. */
export async function listTasks(host: TaskHost, request: ListTasksRequest, caller: Caller): Promise<ListTasksResponse> {
  const { pageSize = defaultPageSize, pageToken, contextId, status, tenant } = request;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
    throw malformed("`pageSize` is not a number from 1 to 100.");
  if (TaskState[status] === undefined || status === TaskState.UNRECOGNIZED)
    throw malformed("`status` is no state of a task.");
  const afterMs = request.statusTimestampAfter ? Date.parse(request.statusTimestampAfter) : 0;
  if (Number.isNaN(afterMs)) throw malformed("`statusTimestampAfter` is no time as ISO 8601 writes it.");
  if (!isOwnTenant(tenant, caller)) return { tasks: [], nextPageToken: "", pageSize, totalSize: 0 };
  const statuses = statusesOf(status);
  const labels = { [taskLabel.name]: taskLabel.value, ...(contextId !== "" && { [contextLabel]: contextId }) };
  const filter = { tenant: caller.tenant, labels };
  const { runs, cursor } = await host.runtime.runs({
    ...filter,
    ...(statuses !== null && { status: statuses }),
    ...(pageToken !== "" && { cursor: pageToken }),
    limit: pageSize,
  });
  const fitting = runs.filter(
    (run) => isTask(host, run) && caller.may("read", run.workflow) && run.updatedAtMs > afterMs,
  );
  const read = await Promise.all(fitting.map((run) => readTask(host, run, request)));
  const tasks = read.filter((task) => task !== null && isOf(task, status)) as Task[];
  const counts = await host.runtime.counts(filter);
  const counted = counts.filter((one) => statuses === null || statuses.includes(one.status));
  const totalSize = counted.reduce((sum, { count }) => sum + count, 0);
  return { tasks, nextPageToken: cursor ?? "", pageSize, totalSize };
}

function isOf(task: Task, status: TaskState): boolean {
  return status === TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status;
}

/** `null`: it was deleted while it was listed. */
async function readTask(
  host: TaskHost,
  { runId, tenant }: RunListing,
  { includeArtifacts }: ListTasksRequest,
): Promise<Task | null> {
  const handle: RunHandle = host.runtime.handle(runId, { tenant });
  try {
    const standing = await standingOf(handle);
    return taskOf(standing, includeArtifacts ? await artifactsOf(handle, standing, host) : [], host);
  } catch (error) {
    if (WorkflowError.is(error, "RUN_UNKNOWN")) return null;
    throw error;
  }
}
