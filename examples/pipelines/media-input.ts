// An image that comes with the input, for every step. `pnpm --filter millrace-examples media-input`
import { Agent } from "@millrace/agents";
import { image, Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { call, model } from "./support/model.js";
import { searchWeb } from "./support/research-team.js";
import { temporaryFile } from "./support/temporary-file.js";

const imageAnalyzer = new Agent({
  name: "Image Analyzer",
  model: model("gpt-5-mini", ({ files }) => `The Golden Gate Bridge, from ${files.length} file (${files.join()})`),
  instructions: "Analyze the provided image and extract key details, objects, and context.",
});

const newsResearcher = new Agent({
  name: "News Researcher",
  model: model("gpt-5-mini", ({ message, toolResults }) => {
    return toolResults.length > 0 ? toolResults.join("\n") : [call("search_web", { topic: message })];
  }),
  tools: [searchWeb],
  instructions: "Search for latest news and information related to the analyzed image content.",
});

export function createMedia(options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Image Analysis and Research Workflow",
    description: "Analyze an image and research related news",
    steps: [
      new Step({ name: "Image Analysis Step", executor: imageAnalyzer }),
      new Step({ name: "News Research Step", executor: newsResearcher }),
    ],
    ...options,
  });
}

// A real model looks at it; here nobody does. `video`, `audio` and `file` work the same way.
export const bridge = image({ url: "https://upload.wikimedia.org/wikipedia/commons/0/0c/GoldenGateBridge-001.jpg" });

if (import.meta.main) {
  await using media = createMedia({ store: sqliteStore(temporaryFile("workflow.db")) });
  const response = await media.run("Please analyze this image and find related news", { images: [bridge] });
  console.log(response.content);
  for (const { kind, url } of response.images) console.log(kind, url);
}
