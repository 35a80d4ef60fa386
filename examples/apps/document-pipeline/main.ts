/** `npm start`, then `npm start -- confirm`: the question stays open in between, without a process. */
import { sqliteStore } from "@millrace/sqlite";
import { documents, pdf } from "./pipeline.js";

const pipeline = documents(
  {
    textOf: async (document) => `${document.length} bytes of text`,
    picturesIn: async () => ["a map", "a bridge"],
    archive: async (text) => `filed: ${text.split("\n")[0]}`,
  },
  { store: sqliteStore("runs.db") },
);
const runId = "letter-1";
if (process.argv[2] === "confirm") {
  const { requirements } = await pipeline.getRun(runId);
  const answers = requirements.map(({ requirementId }) => ({
    requirementId,
    decision: { decision: "confirm" as const },
  }));
  console.log((await pipeline.continueRun(runId, { answers })).content);
} else {
  const { status } = await pipeline.run("A letter", { runId, files: [pdf("letter.pdf", Buffer.from("%PDF-1.7"))] });
  console.log(status, "- confirm it with: npm start -- confirm");
}
await pipeline.close();
