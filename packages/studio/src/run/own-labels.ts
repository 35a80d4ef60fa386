import type { RunSummary } from "@millrace/client";
import type { Datum } from "../model/run-data.js";

const madeByPipelines: ReadonlySet<string> = new Set(["session", "user"]);

/** The labels that a new run is started with: a pipeline makes labels of its session and its user by itself. */
export function ownLabels(labels: RunSummary["labels"], { type }: Datum): RunSummary["labels"] {
  const isPipeline = type === null;
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !isPipeline || !madeByPipelines.has(name)));
}
