/** Moves every run of one file into another, over and over the list until each is there and only there. */
import { writeSync } from "node:fs";
import { createRuntime, type Runtime } from "millrace/runtime";
import { sqliteStore } from "../../src/index.js";
import { asking, movedRuns } from "../moved-runs.js";
import { patienceMs } from "../runs.js";

const [from, to, how] = process.argv.slice(2) as [string, string, string?];
const [source, target] = [from, to].map((path) => {
  const store = sqliteStore(path, { durability: "process", busyTimeoutMs: patienceMs });
  return createRuntime({ workflows: { asking }, store, execute: false });
}) as never as [Runtime, Runtime];

async function sealAndWait(runId: string): Promise<void> {
  for await (const { type } of source.export(runId)) if (type === "end") writeSync(1, "sealed\n");
  await new Promise((resolve) => process.stdin.on("end", resolve));
}

for (const runId of movedRuns) {
  const isHere = (await source.runs({ labels: { id: runId } })).runs.length === 1;
  if (!isHere) continue;
  if (how === "stops") await sealAndWait(runId);
  await target.import(source.export(runId));
  await source.delete(runId);
  writeSync(1, `${runId}\n`);
}
writeSync(1, "done\n");
process.exit(0);
