import { StepInput } from "../data/step-input.js";
import { previousOutputs } from "./advance.js";
import { mediaOf } from "./media-of.js";
import type { PipelineState, Place } from "./pipeline-state.types.js";
import type { PipelineTree } from "./pipeline-tree.js";

/** What a step at this place is given. */
export function stepInputAt(tree: PipelineTree, state: PipelineState, place: Place): StepInput {
  const outputs = previousOutputs(state, tree, place.frame);
  const { request, history } = state;
  const media = mediaOf([request.media, ...outputs]);
  return new StepInput({
    input: request.input,
    outputs,
    additionalData: request.additionalData,
    media,
    history,
  });
}
