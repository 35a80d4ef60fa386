import type { Scenario } from "../measure.ts";

/** By file, in the order of the tables. Loaded one by one: a measure runs with nothing else in its process. */
export const scenarios: { readonly [file: string]: () => Promise<Scenario> } = {
  ticks: () => import("./ticks.ts"),
  chain: () => import("./chain.ts"),
  "small-runs": () => import("./small-runs.ts"),
  stored: () => import("./stored.ts"),
  queues: () => import("./queues.ts"),
  paused: () => import("./paused.ts"),
  calls: () => import("./calls.ts"),
  continued: () => import("./continued.ts"),
  encrypted: () => import("./encrypted.ts"),
  bytes: () => import("./bytes.ts"),
};
