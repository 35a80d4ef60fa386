/** Runs the worker in workerd: a run begins, the process ends, and another one gets the answer. */
import { equal } from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const built = await build({ entryPoints: ["worker.ts"], bundle: true, format: "esm", target: "es2022", write: false });
const objects = mkdtempSync(join(tmpdir(), "objects-"));

/** The requests of one process. */
async function process(work) {
  const worker = new Miniflare({
    modules: [{ type: "ESModule", path: "worker.mjs", contents: built.outputFiles[0].text }],
    compatibilityDate: "2026-01-01",
    durableObjects: { REFUNDS: { className: "Refunds", useSQLite: true } },
    durableObjectsPersist: objects,
  });
  const ask = async (path, body) => {
    const init = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return (await worker.dispatchFetch(`http://worker${path}`, init)).json();
  };
  try {
    return await work(ask);
  } finally {
    await worker.dispose();
  }
}

const { handler_id: id, prompts } = await process((ask) =>
  ask("/ada/workflows/refund/run", { start_event: { order: "A-17", euros: 80 } }),
);
const { result } = await process(async (ask) => {
  await ask(`/ada/handlers/${id}/prompts/${prompts[0].prompt_id}`, { fields: { approved: true } });
  return ask(`/ada/handlers/${id}?wait=10000`);
});
const others = await process((ask) => ask("/bob/handlers"));

equal(result.value.result, "refunded A-17");
equal(others.handlers.length, 0); // each customer has an object with its own runs
console.log("durable object: continued in another process");
