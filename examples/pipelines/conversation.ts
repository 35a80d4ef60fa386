// A pipeline to talk with: it runs, or answers from earlier runs. `pnpm --filter millrace-examples conversation`
import { PipelineAgent } from "@millrace/agents";
import { Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { call, model } from "./support/model.js";

const lengths: Record<string, number> = { Nile: 6650, Danube: 2850 };

/** Its instructions hold the description of the pipeline, and what the last runs of the session have answered. */
const librarian = new PipelineAgent({
  name: "Librarian",
  model: model("gpt-5-mini", ({ instructions, message }) => {
    const known = new Set(instructions.match(/The \w+ is \d+ km long\./g));
    const river = Object.keys(lengths).find((name) => message.includes(name));
    if (river !== undefined && ![...known].some((fact) => fact.includes(river))) {
      return [call("run_workflow", { query: river })];
    }
    return `As far as I know: ${[...known].join(" ")}`;
  }),
});

export function createRivers(options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Rivers",
    description: "Looks up how long a river is",
    agent: librarian,
    // Their input is the query of the agent, not what the user said.
    steps: [
      new Step({ name: "look_up", executor: ({ input }) => `The ${input} is ${lengths[String(input)]} km long.` }),
    ],
    ...options,
  });
}

if (import.meta.main) {
  await using rivers = createRivers();
  for (const message of ["How long is the Nile?", "Say that again.", "And the Danube?", "Which of them is longer?"]) {
    const { content, agentRun } = await rivers.run(message);
    console.log(`> ${message}\n${content}`);
    console.log(agentRun?.query ? `  (has run with "${agentRun.query}")` : "  (has not run)");
  }

  // Every turn is stored as a run of the session, with what the user said as its input.
  const session = await rivers.sessions.get(rivers.sessionId);
  for (const { runId } of session?.runs ?? []) console.log("stored:", (await rivers.getRun(runId)).input);
}
