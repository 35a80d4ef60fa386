import type { RunMoment, RunSummary } from "@millrace/client";
import { isPipelineGraph } from "millrace/graph";
import { useEffect, useMemo, useRef, useState } from "react";
import { isOpen } from "../api/run-facts.js";
import type { GraphOverlay } from "../graph/drawing.types.js";
import { outlineSourceOf, type WorkflowGraphData } from "../graph/graph-data.js";
import { withCalls } from "../model/call-lanes.js";
import { overlayOf } from "../model/overlay.js";
import type { RunStore } from "../model/run-store.js";
import { type StepNaming, stepNaming, stepsOfMany, workflowsOf } from "../model/step-names.js";
import { type TimeScale, timeScale } from "../model/time-scale.js";
import { type Lane, lanesOf } from "../model/timeline.js";
import { type RunTime, useRunTime } from "./use-run-time.js";

/** What the views show of the run at its cursor. */
export interface RunViews {
  readonly time: RunTime;
  readonly lanes: readonly Lane[];
  readonly scale: TimeScale;
  readonly folds: boolean;
  readonly setFolds: (folds: boolean) => void;
  readonly overlay: GraphOverlay | null;
  /** Runs and steps, as `run#step`, that had several items. */
  readonly many: ReadonlySet<string>;
  /** The step to bring into view when the page opens. */
  readonly busy: string | null;
}

export interface ViewFacts {
  readonly graph: WorkflowGraphData | null;
  /** The selected step, which shows its calls. */
  readonly step: string | null;
}

export function useRunViews(run: RunStore, handler: RunSummary, { graph, step }: ViewFacts): RunViews {
  const [folds, setFolds] = useState(true);
  const { list: attempts } = run.attempts;
  const naming = useNaming(run, graph);
  const isPipeline = useMemo(() => graph !== null && isPipelineGraph(outlineSourceOf(graph)), [graph]);
  useEffect(() => run.setNaming(naming, isPipeline), [run, naming, isPipeline]);
  const time = useRunTime(run, handler);
  const { fromMs, toMs, atMs } = time;
  const steps = useMemo(() => lanesOf(attempts, { runId: run.runId, naming }), [attempts, run, naming]);
  const lanes = useMemo(() => withCalls(steps, step), [steps, step]);
  const scale = useMemo(() => timeScale(attempts, { fromMs, toMs, folds }), [attempts, fromMs, toMs, folds]);
  const many = useMemo(() => new Set(stepsOfMany(attempts).keys()), [attempts]);
  // Until the answer for the cursor is there, the one before it is shown: half of a moment would be wrong.
  const shown = useRef<RunMoment | undefined>(undefined);
  const moment = run.moments.get(run.tick) ?? shown.current;
  shown.current = moment;
  const overlay = useMemo(() => {
    if (moment === undefined) return null;
    return overlayOf({ runId: run.runId, moment, attempts, emitted: run.emitted.upTo(moment.number), atMs });
  }, [run, moment, attempts, atMs]);
  const busy = useBusyStep(overlay, isOpen(handler));
  return { time, lanes, scale, folds, setFolds, overlay, many, busy };
}

/** The same for as long as no other child has begun. */
function useNaming({ runId, attempts: { list } }: RunStore, graph: WorkflowGraphData | null): StepNaming {
  const children = useMemo(() => workflowsOf(list), [list]);
  const known = useRef(children);
  if (known.current.size !== children.size) known.current = children;
  const workflows = known.current;
  return useMemo(() => stepNaming(graph, { runId, workflows }), [graph, runId, workflows]);
}

/** Found once, as the camera holds still later. */
function useBusyStep(overlay: GraphOverlay | null, isRunning: boolean): string | null {
  const found = useRef<string | null>(null);
  if (found.current === null && overlay !== null) {
    const names = Object.entries(overlay.steps);
    const of = (...statuses: readonly string[]) => names.find(([, { status }]) => statuses.includes(status))?.[0];
    found.current = (isRunning ? of("waiting", "running", "retrying") : of("failed")) ?? "";
  }
  return found.current === "" ? null : found.current;
}
