import { type EventClass, ExternalEvent, type WorkflowEvent } from "millrace";
import type { RunListing } from "millrace/runtime";
import { anything } from "./anything.js";

interface CancelFields {
  readonly reason?: string | null;
  /** What is known of the run: for the output of one that has not begun. */
  readonly run?: Pick<RunListing, "labels" | "createdAtMs">;
}

export interface PipelineCancelEvent extends WorkflowEvent, CancelFields {}

/** Stops the run that it is sent to. What was done stays, in its output and in its session, in one commit. */
export const PipelineCancel: EventClass<PipelineCancelEvent> & (new (fields: CancelFields) => PipelineCancelEvent) =
  ExternalEvent.define("pipeline.cancel", { reason: anything, run: anything }) as never;
