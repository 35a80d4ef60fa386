import { mediaOf } from "@millrace/executor";
import type { HumanInput } from "../data/message.js";
import { StepInput } from "../data/step-input.js";
import { lastOutput, ownPlace, previousOutputs } from "../interpreter/advance.js";
import type { PipelineState, Place } from "../state/pipeline-state.types.js";
import { reviewAt } from "../state/review.js";
import type { StepTools } from "./visit.types.js";

/** What a step at the place of a visit is given. */
export function stepInputAt({ plan, state, place }: StepTools): StepInput {
  const { tree, loadsHistory } = plan;
  const outputs = () => previousOutputs(state, tree, place.frame);
  const { request, history, query } = state;
  return new StepInput({
    input: query ?? request.input,
    outputs,
    last: lastOutput(state, tree, place.frame),
    additionalData: request.additionalData,
    media: () => mediaOf([request.media, ...outputs()]),
    history: loadsHistory ? history : null,
    humanInput: humanInputAt(state, place),
  });
}

function humanInputAt(state: PipelineState, place: Place): HumanInput | undefined {
  const { userInput, feedback } = reviewAt(state, place);
  // Feedback on an iteration is for the first step of the next one.
  const retryFeedback = feedback ?? (place.at === 0 ? reviewAt(state, ownPlace(place.frame)).feedback : null);
  if (userInput === null && retryFeedback === null) return undefined;
  return { ...(userInput !== null && { userInput }), ...(retryFeedback !== null && { retryFeedback }) };
}
