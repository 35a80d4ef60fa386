/** One session that many runs share, from any number of processes: each adds an item to lists, counts it, and sets a field of its own. */
import { setImmediate } from "node:timers/promises";
import type { RunStore } from "millrace/runtime";
import { Pipeline } from "../../src/index.js";

export const sessionId = "shopping";

export interface ShoppingState {
  readonly list: readonly string[];
  readonly n: number;
  readonly edited: readonly string[];
  readonly [item: string]: unknown;
}

export function shopping(store: RunStore): Pipeline {
  return new Pipeline({
    name: "shopping",
    store,
    sessionState: { list: [], edited: [] },
    steps: [
      async ({ input }, { sessionState }) => {
        (sessionState["list"] as string[]).push(String(input));
        await setImmediate();
        sessionState[String(input)] = true;
        return input;
      },
      ({ input }, { editState }) =>
        editState((state) => {
          state["n"] = ((state["n"] as number | undefined) ?? 0) + 1;
          (state["edited"] as string[]).push(String(input));
          return input;
        }),
    ],
  });
}
