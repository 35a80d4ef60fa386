/** A pipeline that is printed, in a folder without the optional library for Markdown. */
import { Pipeline } from "@millrace/pipeline";
import { printPipelineResponse } from "@millrace/print";

const pipeline = new Pipeline({ name: "greeting", steps: [(input) => `Hello, ${input.input}!`] });
const printed = [];
await printPipelineResponse(pipeline, "Ada", { out: { write: (text) => printed.push(text) } });
await pipeline.close();
console.log(`${process.version.slice(1, 3)}: ${printed.join("").trim().split("\n").at(-1)}`);
