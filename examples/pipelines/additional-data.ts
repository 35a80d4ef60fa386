// Data beside the message: every step can read it, no model is told of it. `pnpm --filter millrace-examples additional-data`
import { Agent } from "@millrace/agents";
import { Pipeline, Step, type StepInput, stepOutput } from "@millrace/pipeline";
import { model } from "./support/model.js";
import { researchTeam } from "./support/research-team.js";

const contentPlanner = new Agent({
  name: "Content Planner",
  model: model("gpt-5-mini", ({ message }) => {
    const days = /high priority/i.test(message) ? 3 : 14;
    return `A plan in ${days} days for: ${/Core Topic: (.*)/.exec(message)?.[1]}`;
  }),
  instructions: "Create detailed, actionable content plans.",
});

/** Puts what this one needs of the data into a prompt of its own. */
async function planContent({ input, previousStepContent, additionalData }: StepInput) {
  const {
    user_email: email = "No email provided",
    priority = "normal",
    client_type: client = "standard",
  } = additionalData;
  const { content } = await contentPlanner.run(`STRATEGIC CONTENT PLANNING REQUEST:

Core Topic: ${input}
Research Results: ${String(previousStepContent ?? "No research results").slice(0, 500)}

Client Type: ${client}
Contact Email: ${email}
${priority === "high" ? "HIGH PRIORITY - Expedited delivery required" : "Standard delivery timeline"}

Please create a detailed, actionable content plan.`);

  return stepOutput({
    content: `## Strategic Content Plan

**Planning Topic:** ${input}
**Client Details:** ${client} | ${String(priority).toUpperCase()} priority | ${email}

**Content Strategy:** ${content}`,
  });
}

export function createContentCreation(): Pipeline {
  return new Pipeline({
    name: "Content Creation Workflow",
    steps: [
      new Step({ name: "Research Step", executor: researchTeam }),
      new Step({ name: "Content Planning Step", executor: planContent }),
    ],
  });
}

export const client = {
  user_email: "ada@example.com",
  priority: "high",
  client_type: "enterprise",
  budget: "$50000",
  deadline: "2024-12-15",
};

if (import.meta.main) {
  await using contentCreation = createContentCreation();
  const { content } = await contentCreation.run("AI trends in 2024", { additionalData: client });
  console.log(content);
}
