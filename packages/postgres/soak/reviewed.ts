/** A pipeline that asks people, with side effects between the questions. */
import type { OtherKind, Outside } from "@millrace/conformance/soak";
import { Parallel, Pipeline, Step } from "@millrace/pipeline";

const parts = ["draft", "left", "right"];

export function reviewed(outside: Outside): OtherKind {
  const step = (name: string, isAsked: boolean, earlier: readonly string[] = []): Step =>
    new Step({
      name,
      humanReview: { requiresConfirmation: isAsked },
      executor: async (input) => {
        await outside.delay();
        const token = await outside.effect(`other-${input.input}`, name);
        return [...earlier.map((one) => input.getStepContent(one)), token].join(" ");
      },
    });
  const pipeline = new Pipeline({
    name: "Reviewed",
    steps: [
      step("draft", true),
      new Parallel("both", step("left", false), step("right", false)),
      step("publish", true, parts),
    ],
  });
  return {
    workflow: pipeline.workflow,
    input: (n) => pipeline.workflowInput(`${n}`, { sessionId: `session-${n}` }),
    answer: { decision: { decision: "confirm" } },
    check(result) {
      const { status, content } = result as { readonly status: string; readonly content: unknown };
      const tokens = String(content).split(" ");
      const isRight = status === "COMPLETED" && tokens.length === parts.length + 1;
      return { tokens, problems: isRight ? [] : [`the pipeline is ${status} with ${content}`] };
    },
  };
}

/** For those who only read. */
export const readReviewed: OtherKind = reviewed({ delay: async () => {}, effect: async () => "none" });
