import type { RunListing } from "millrace/runtime";
import { freshState } from "../compile/fresh-state.js";
import type { PipelineState } from "../compile/pipeline-state.types.js";
import { emptyMedia } from "../data/media.js";

/** State of a run that has not begun, from its labels. */
export function unbegunState({ labels, createdAtMs }: Pick<RunListing, "labels" | "createdAtMs">): PipelineState {
  const request = {
    additionalData: {},
    media: emptyMedia,
    sessionId: labels["session"] ?? "",
    userId: labels["user"] ?? null,
    dependencies: {},
    metadata: {},
    showsSteps: false,
    showsExecutors: false,
    nesting: null,
  };
  return freshState({ request, startedAtMs: createdAtMs, history: [], session: {}, sessionAtStart: {} });
}
