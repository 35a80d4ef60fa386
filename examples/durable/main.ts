// Kill it, start it, watch it continue: README.md shows a session.
//
//     pnpm --filter ./examples durable              stores its run in examples/durable/.runs
//     pnpm --filter ./examples durable some/folder  stores it there
import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import type { ResultOf } from "millrace";
import { createRuntime } from "millrace/runtime";
import { follow, tellState } from "./follow.js";
import { SummaryFlow } from "./workflow.js";

const root = join(import.meta.dirname, "..", "..");
const folder = process.argv[2] ?? join(import.meta.dirname, ".runs");
const output = join(folder, "summaries.txt");
mkdirSync(folder, { recursive: true });
console.log(`process ${process.pid}: stop it with Ctrl-C or kill -9 ${process.pid}`);

const workflow = new SummaryFlow({ root, output });
const runtime = createRuntime({ workflows: { summaries: workflow }, store: sqliteStore(join(folder, "runs.db")) });

// Not needed for the run: a killed process leaves it as whole as one that stops.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await runtime.stop({ drainMs: 0 });
    console.log("\nStopped. Start it again to go on.");
    process.exit(130);
  });
}

const { runs } = await runtime.runs({ workflow: "summaries", status: ["running", "waiting"] });
const found = runs[0];
const run = found === undefined ? begin() : runtime.handle<ResultOf<SummaryFlow>>(found.runId);
await run.accepted;
const done = found === undefined ? 0 : await tellState(run, workflow);

await runtime.start(); // takes up what a killed process has left
const { kept, lines } = await follow(run, done);
console.log(kept ? `${lines} lines are in ${output}` : "They are gone.");
await runtime.stop();

function begin() {
  const files = globSync("docs/{,how-to/}*.md", { cwd: root }).sort().slice(0, 19);
  const begun = runtime.run("summaries", { files });
  console.log(`run ${begun.runId} begins: ${files.length} files`);
  return begun;
}
