import { WorkflowError } from "../errors/workflow-error.js";

/** A point in time in epoch milliseconds. @throws {WorkflowError} `OPTION_INVALID` */
export function timeOf(time: Date | number, option: string): number {
  const atMs: unknown = time instanceof Date ? time.getTime() : time;
  if (typeof atMs === "number" && Number.isFinite(atMs)) return atMs;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`${option}\` is ${String(time)}, which is no point in time.`,
    hint: "Give a Date, or epoch milliseconds.",
    details: { option },
  });
}
