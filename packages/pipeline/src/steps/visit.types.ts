/** A run at a node. */

import type { OpenAttempt } from "../attempts/open-attempt.js";
import type { PipelineNode } from "../nodes/node.types.js";
import type { PlaceEvent } from "../plan/pipeline-events.js";
import type { PipelineState, Place, Step } from "../state/pipeline-state.types.js";
import type { Mover, PipelineCourse } from "./move.js";
import type { StepParts } from "./plan.types.js";
import type { StepRunContext } from "./run-context.js";

export interface Visit extends StepParts {
  readonly node: PipelineNode;
  readonly ev: PlaceEvent;
  /** An iteration of a loop is over. */
  readonly isAgain?: boolean;
}

/** What one visit works with. */
export interface StepTools extends Mover {
  readonly state: PipelineState;
  readonly context: StepRunContext;
  readonly place: Place;
  readonly visit: number;
  readonly attempt: OpenAttempt;
}

/** Changes the state, and returns where the run continues. */
export type Decided = (course: PipelineCourse) => Step[];
