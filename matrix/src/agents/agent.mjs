/** An agent with a tool, and a loop of the AI SDK that is recorded: with models for AI SDK 7, and for AI SDK 6. */
import { Agent, recorded, tool } from "@millrace/agents";
import { generateText, isStepCount } from "ai";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const call = { type: "tool-call", toolCallId: "x", toolName: "look", input: "{}" };
const turns = [
  { content: [call], finishReason: { unified: "tool-calls", raw: "tool_calls" } },
  { content: [{ type: "text", text: "all done" }], finishReason: { unified: "stop", raw: "stop" } },
];

function model(specificationVersion) {
  const left = [...turns];
  const doGenerate = async () => ({ ...left.shift(), usage, warnings: [] });
  return { specificationVersion, provider: "fake", modelId: "fake", supportedUrls: {}, doGenerate };
}

const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

for (const version of ["v4", "v3"]) {
  const { content } = await new Agent({ model: model(version), tools: [look] }).run("go");
  const own = defineWorkflow("own")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const tools = { look: { inputSchema: look.parameters, execute: () => "seen" } };
      const options = recorded(ctx, { model: model(version), tools });
      const { text } = await generateText({ ...options, prompt: "go", stopWhen: isStepCount(5) });
      return new StopEvent({ result: text });
    })
    .build();
  console.log(`${version}: agent ${content}, loop ${await own.run()}`);
}
