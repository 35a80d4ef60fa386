/** For tests: who answers the questions of the publishing pipeline, the same way after every crash. */
import type { HumanDecision, RequirementData } from "@millrace/pipeline";
import type { Pictures } from "../people.js";

export function decide({ kind, retryCount, choices }: RequirementData): HumanDecision {
  switch (kind) {
    case "userInput":
      return { decision: "confirm", values: { tone: "loud" } };
    case "outputReview":
      return retryCount === 0 ? { decision: "reject", feedback: "Make it shorter." } : { decision: "confirm" };
    case "error":
      return { decision: "skip" };
    case "route":
      return { decision: "confirm", choices: choices.slice(0, 1) };
    default:
      return { decision: "confirm" };
  }
}

/** They fail every time: a service that remembers how often it was asked would remember it over a crash. */
export const closedPictures: Pictures = {
  find: () => Promise.reject(new Error("The pictures are closed.")),
};
