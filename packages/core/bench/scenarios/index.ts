import type { Measure } from "../measure.ts";

/** By file, in the order of the table. Loaded one by one: a subject runs with nothing else in its process. */
export const scenarios: { readonly [file: string]: () => Promise<{ readonly measures: readonly Measure[] }> } = {
  chain: () => import("./chain.ts"),
  loop: () => import("./loop.ts"),
  "fan-out": () => import("./fan-out.ts"),
  "many-runs": () => import("./many-runs.ts"),
  edits: () => import("./edits.ts"),
  calls: () => import("./calls.ts"),
  snapshot: () => import("./snapshot.ts"),
  bundle: () => import("./bundle.ts"),
};
