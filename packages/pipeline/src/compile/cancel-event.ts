import { type EventClass, ExternalEvent, type StandardSchema, type WorkflowEvent } from "millrace";
import type { RunListing } from "millrace/runtime";
import { madeHere } from "./made-here.js";

interface CancelFields {
  /** A text. */
  readonly reason?: string | null;
  /** What is known of the run: for the output of one that has not begun. Only `cancel` of a run gives it. @internal */
  readonly run?: Pick<RunListing, "labels" | "createdAtMs">;
}

export interface PipelineCancelEvent extends WorkflowEvent, CancelFields {}

/** It may come from outside. */
const fields: StandardSchema = {
  "~standard": {
    version: 1 as const,
    vendor: "millrace",
    validate(given: unknown) {
      const { reason = null, run } = given as { readonly reason?: unknown; readonly run?: unknown };
      const known = madeHere(run);
      const issues = [
        ...(reason === null || typeof reason === "string" ? [] : [{ message: "it is no text", path: ["reason"] }]),
        ...(run === undefined || known !== null ? [] : [{ message: "nobody gives this", path: ["run"] }]),
      ];
      return issues.length > 0 ? { issues } : { value: { reason, ...(known !== null && { run: known }) } };
    },
    jsonSchema: { input: () => ({ type: "object", properties: { reason: { type: ["string", "null"] } } }) },
  } as StandardSchema["~standard"],
};

/** Stops the run that it is sent to. What was done stays, in its output and in its session, in one commit. */
export const PipelineCancel: EventClass<PipelineCancelEvent> & (new (fields: CancelFields) => PipelineCancelEvent) =
  ExternalEvent.define("pipeline.cancel", fields as never) as never;
