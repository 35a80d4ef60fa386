/** A run whose second step says something, and then waits for ever; after a restart it says all of it. */

import { Pipeline, Step } from "@millrace/pipeline";
import type { RunStore } from "millrace/runtime";

export const runId = "speech";

export function speaking(store: RunStore, stops: (() => void) | null): Pipeline {
  return new Pipeline({
    name: "Speech",
    store,
    storeEvents: true,
    steps: [
      new Step({ name: "greets", executor: () => "hello" }),
      new Step({
        name: "speaks",
        executor: async function* () {
          yield "half an ";
          if (stops !== null) {
            stops();
            await new Promise<never>(() => {});
          }
          yield "answer";
        },
      }),
    ],
  });
}
