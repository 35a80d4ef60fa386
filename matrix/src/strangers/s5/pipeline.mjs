/** A pipeline is streamed as an agent is, and printed by the package that the page names. */
import { Pipeline } from "@millrace/pipeline";
import { printPipelineResponse } from "@millrace/print";

const pipeline = new Pipeline({ name: "article", steps: [({ input }) => `# ${input}`] });
const seen = [];
for await (const { event } of pipeline.stream("rivers")) seen.push(event);
console.log(`streamed: ${seen.at(-1)}`);
await printPipelineResponse(pipeline, "rivers");
await pipeline.close();
