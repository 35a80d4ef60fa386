import type { Workflow } from "millrace";

/** A pipeline as a step of another one. An interface, because the class itself depends on the nodes. */
export interface PipelineLike {
  readonly isPipeline: true;
  readonly name: string;
}

/** What a run needs of a nested pipeline. */
export interface NestedPipeline extends PipelineLike {
  readonly workflow: Workflow;
  /** How many earlier runs of the session its steps may ask for; `null` for all. */
  readonly historyCount: number | null;
}

/** Identifies a pipeline in outputs and events. */
export interface PipelineIdentity {
  readonly id: string;
  readonly name: string;
}
