import type { Workflow } from "millrace";

/** A pipeline as a step of another one. Structural: the class itself builds on the nodes. */
export interface PipelineLike {
  readonly isPipeline: true;
  readonly name: string;
}

/** What a run needs of a pipeline that is one of its steps. */
export interface NestedPipeline extends PipelineLike {
  readonly workflow: Workflow;
  /** How many earlier runs of the session its steps may ask for; null: all. */
  readonly historyCount: number | null;
}

/** What outputs and events say of the pipeline that they are of. */
export interface PipelineIdentity {
  readonly id: string;
  readonly name: string;
}
