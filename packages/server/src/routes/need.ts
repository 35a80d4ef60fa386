/** The right that a request needs, by what it is about. */
import type { Identity } from "../guard/auth.js";
import { assertMay, assertMayEvery, assertMaySome, isUniform, type NeededRight } from "../guard/rights.js";
import { runUnknown, scheduleUnknown } from "../http/http-error.js";
import type { Served } from "../runs/served.types.js";
import { workflowUnknown } from "../wire/workflow-facts.js";

/**
 * | of         | the workflow                                                          |
 * | ---------- | --------------------------------------------------------------------- |
 * | `run`      | of the run `{id}`                                                     |
 * | `workflow` | `{name}`                                                              |
 * | `schedule` | of the schedule `{name}`; one that does not exist needs some workflow |
 * | `some`     | any: the route leaves the others out                                  |
 * | `every`    | all: what the route shows belongs to none                             |
 */
export type Need = readonly [right: NeededRight, of: "run" | "workflow" | "schedule" | "some" | "every"];

export type NeedHost = Pick<Served, "runtime">;

export interface NeedParams {
  readonly id: string;
  readonly name: string;
}

interface Asking {
  readonly identity: Identity;
  readonly params: NeedParams;
}

/** @throws {HttpError} `FORBIDDEN`, `RUN_UNKNOWN`, `SCHEDULE_UNKNOWN` @throws {WorkflowError} `WORKFLOW_UNKNOWN` */
export async function assertNeed(
  { runtime }: NeedHost,
  [right, of]: Need,
  { identity, params }: Asking,
): Promise<void> {
  if (of === "every") return assertMayEvery(identity, right);
  if (of === "some" || isUniform(identity)) return assertMaySome(identity, right);
  const { id, name } = params;
  if (of === "workflow") return assertMay(identity, { right, workflow: name, unknown: () => workflowUnknown(name) });
  const { tenant = "" } = identity;
  if (of === "run") {
    const { workflow } = await runtime.handle(id, { tenant }).summary();
    return assertMay(identity, { right, workflow, unknown: () => runUnknown(id) });
  }
  const schedule = await runtime.schedules.get(name, { tenant });
  if (schedule === null) return assertMaySome(identity, right);
  assertMay(identity, { right, workflow: schedule.workflow, unknown: () => scheduleUnknown(name) });
}
