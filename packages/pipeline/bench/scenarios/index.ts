import type { Measure } from "../measure.ts";

/** By file, in the order of the table. Loaded one by one: a measure runs with nothing else in its process. */
export const scenarios: { readonly [file: string]: () => Promise<{ readonly measures: readonly Measure[] }> } = {
  sequence: () => import("./sequence.ts"),
  parallel: () => import("./parallel.ts"),
  loop: () => import("./loop.ts"),
  stored: () => import("./stored.ts"),
  memory: () => import("./memory.ts"),
};
