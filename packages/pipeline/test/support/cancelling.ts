/** A run that changes its session and then waits to be cancelled; after a restart it does not wait. */
import type { RunStore } from "millrace/runtime";
import { Pipeline, Step } from "../../src/index.js";

export const runId = "cancelled";
export const sessionId = "session";

export function cancelling(store: RunStore, waits: (() => void) | null): Pipeline {
  return new Pipeline({
    name: "cancelling",
    store,
    sessionState: { n: 0, list: [] },
    steps: [
      ({ input }, { editState }) =>
        editState((state) => {
          state["n"] += 1;
          (state["list"] as unknown[]).push(input);
        }),
      new Step({
        name: "waits",
        executor: (_input, { signal }) => {
          if (waits === null) return "went on";
          waits();
          return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
      }),
    ],
  });
}
