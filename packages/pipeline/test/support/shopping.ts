/** One session that many runs share, from any number of processes: each adds an item to a list and a field of its own. */
import { setImmediate } from "node:timers/promises";
import type { RunStore } from "millrace/runtime";
import { Pipeline } from "../../src/index.js";

export const sessionId = "shopping";

export interface ShoppingState {
  readonly list: readonly string[];
  readonly [item: string]: unknown;
}

export function shopping(store: RunStore): Pipeline {
  return new Pipeline({
    name: "shopping",
    store,
    sessionState: { list: [] },
    steps: [
      async ({ input }, { sessionState }) => {
        (sessionState["list"] as string[]).push(String(input));
        await setImmediate();
        sessionState[String(input)] = true;
        return input;
      },
      ({ previousStepContent }) => previousStepContent,
    ],
  });
}
