/** How a run asks people, and how they answer. */
import { type EventClass, HumanResponseEvent, InputRequiredEvent, type WorkflowEvent } from "millrace";
import type { RequirementData } from "../human/requirement.types.js";
import { anything } from "./anything.js";

export interface HumanPromptEvent extends WorkflowEvent {
  readonly requirement: RequirementData;
  /** What was wrong with the answer before; empty the first time. */
  readonly problems: readonly string[];
}

/** A question of a pipeline. Answer its prompt with `{ decision }`. */
export const HumanPrompt: EventClass<HumanPromptEvent> &
  (new (
    fields: Pick<HumanPromptEvent, "requirement" | "problems">,
  ) => HumanPromptEvent) = InputRequiredEvent.define("pipeline.question", {
  requirement: anything,
  problems: anything,
}) as never;

export interface HumanAnswerEvent extends WorkflowEvent {
  readonly decision: unknown;
}

/** What somebody says to it: checked by the step that asks. */
export const HumanAnswer: EventClass<HumanAnswerEvent> &
  (new (
    fields: Pick<HumanAnswerEvent, "decision">,
  ) => HumanAnswerEvent) = HumanResponseEvent.define("pipeline.answer", {
  decision: anything,
}) as never;
