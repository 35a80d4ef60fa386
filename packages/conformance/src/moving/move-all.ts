import { writeSync } from "node:fs";
import { wrapStore } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import { movedRuns, openRuntime } from "./moved-runs.js";

/** The call of a store in whose middle the process is killed. */
const fatal = {
  export: { of: "from", call: "events" },
  import: { of: "to", call: "commit" },
  delete: { of: "from", call: "delete" },
} as const;

export type Phase = keyof typeof fatal;

export interface Stores {
  readonly from: RunStore;
  readonly to: RunStore;
}

/**
 * Moves every run of one store into another, until each is there and only there, and ends the process.
 *
 * @param how `stops`: waits with the first run sealed. `import:5`: dies 5 ms after the first import has asked its store.
 */
export async function moveAll(given: Stores, how: string = ""): Promise<never> {
  const stores = how.includes(":") ? mortal(given, how) : given;
  const source = openRuntime(stores.from, { execute: false });
  const target = openRuntime(stores.to, { execute: false });
  for (const runId of movedRuns) {
    const { runs } = await source.runs({ labels: { id: runId } });
    if (runs.length === 0) continue;
    if (how === "stops") {
      for await (const { type } of source.export(runId)) if (type === "end") writeSync(1, "sealed\n");
      await new Promise((resolve) => process.stdin.on("end", resolve));
    }
    await target.import(source.export(runId));
    await source.delete(runId);
    writeSync(1, `${runId}\n`);
  }
  writeSync(1, "done\n");
  process.exit(0);
}

function mortal(stores: Stores, how: string): Stores {
  const [phase, afterMs] = how.split(":") as [Phase, string];
  const { of, call } = fatal[phase];
  const dying = wrapStore(stores[of], (name, method) => {
    if (name !== call) return method;
    return (...values: readonly unknown[]) => {
      void method(...values);
      setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(afterMs));
      return new Promise(() => {}); // the answer is lost
    };
  });
  return { ...stores, [of]: dying };
}
