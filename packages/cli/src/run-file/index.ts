/**
 * The run of a failed test as a file: `@millrace/cli/run-file`.
 *
 * ```ts
 * await proveResumable(() => new RefundFlow(), { order: "A-17" }, { saveRun: runFile("failures") });
 * ```
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packRunFile, partsOfTicks, saveRun } from "@millrace/client/run-file";
import { createServer } from "@millrace/server";
import type { SaveRun } from "@millrace/testing";
import { createRuntime, memoryStore } from "millrace/runtime";

const silent = { info() {}, error() {} };

/**
 * Writes the run that shows a failure, for the option `saveRun` of `simulate`, `proveResumable` and `exploreRuns`. The message of the
 * failure then names the file.
 *
 * @param path A file that ends with `.run`, or a folder, which is created. In a folder, the file has the name of the workflow. An older
 * file is replaced.
 */
export function runFile(path: string): SaveRun {
  return async ({ workflow: name, runId, ticks }, workflow) => {
    const runtime = createRuntime({
      workflows: { [name]: workflow },
      store: memoryStore(),
      execute: false,
      log: silent,
    });
    await using _ = { [Symbol.asyncDispose]: () => runtime.stop() };
    const facts = { move: "test", version: null, labels: {}, queue: null };
    await runtime.import(partsOfTicks({ ...facts, workflow: name, runId, ticks }));
    const { fetch } = createServer({ runtime });
    const local: typeof globalThis.fetch = async (...request) => fetch(new Request(...request));
    const bytes = await packRunFile(await saveRun(runId, { baseUrl: "http://run.file", fetch: local }));
    const file = path.endsWith(".run") ? path : join(path, `${name.replace(/[^\w.-]+/g, "-")}.run`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    return `The run is in ${file}: \`npx millrace open ${file}\` shows it.`;
  };
}
