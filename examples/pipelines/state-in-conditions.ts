// A function writes the session state; a condition and a router read it. `pnpm --filter millrace-examples state-in-conditions`
import { Condition, Pipeline, Router, type RunContext, type StepInput } from "@millrace/pipeline";

interface Ticket {
  urgent: boolean;
  topic: "billing" | "technical";
  escalated?: boolean;
}

/** What it writes, everybody after it sees. */
function readTicket(input: StepInput, { sessionState }: RunContext<Ticket>) {
  const text = input.getInputAsString() ?? "";
  sessionState.urgent = /urgent|at once/i.test(text);
  sessionState.topic = /invoice|refund/i.test(text) ? "billing" : "technical";
  return text;
}

function wakeSomebody(input: StepInput, { sessionState }: RunContext<Ticket>) {
  sessionState.escalated = true;
  return input.previousStepContent;
}

const billing = (input: StepInput) => `Billing takes care of "${input.previousStepContent}"`;
const technical = (input: StepInput) => `An engineer takes care of "${input.previousStepContent}"`;

export function createSupport(): Pipeline {
  return new Pipeline({
    name: "Support",
    steps: [
      readTicket,
      new Condition({
        name: "is_urgent",
        evaluator: (_input, { sessionState }) => sessionState["urgent"] === true,
        steps: [wakeSomebody],
      }),
      new Router({
        name: "by_topic",
        // A choice, its name, or a list of them. A boolean is no choice: it does not compile.
        selector: (_input, { sessionState }) => (sessionState["topic"] === "billing" ? billing : technical),
        choices: [billing, technical],
      }),
    ],
  });
}

if (import.meta.main) {
  await using support = createSupport();
  for (const ticket of ["Please send the invoice again.", "Urgent: nothing works."]) {
    const { content, sessionState } = await support.run(ticket);
    console.log(content);
    console.log("Session state:", sessionState);
  }
}
