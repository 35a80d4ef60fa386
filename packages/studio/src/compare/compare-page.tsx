/** Two runs side by side: where they part, how they ended, and what each of them did. */

import type { RunAttempt } from "@millrace/client";
import { isPipelineGraph } from "millrace/graph";
import { type ReactNode, useMemo, useRef } from "react";
import { client } from "../api/client.js";
import type { Json } from "../api/json.types.js";
import { endedAtMsOf, isOpen } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";
import { outlineSourceOf, type WorkflowGraphData } from "../graph/graph-data.js";
import { readGraph } from "../graph/use-graph.js";
import { stepNaming, workflowsOf } from "../model/step-names.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { Button } from "../ui/controls.js";
import { duration, isRecord, plural } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Read } from "../ui/states.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { type LoadedRun, loadRun, outcomeOf } from "./load-run.js";
import { type DifferenceFacts, firstDifference, type Piece } from "./model/first-difference.js";
import { type ComparedRun, matchTicks } from "./model/match-ticks.js";
import { modelPairs } from "./model/model-pairs.js";
import { ModelTable } from "./model-table.js";
import { OtherRuns } from "./other-runs.js";
import { StateTable } from "./state-table.js";
import { StepTable } from "./step-table.js";
import { TickTable } from "./tick-table.js";

export interface ComparePageProps {
  readonly a: string;
  readonly b: string;
  /** Runs that may take the place of B. */
  readonly others: readonly string[];
}

export function ComparePage({ a, b, others }: ComparePageProps): ReactNode {
  const reading = useRead(`compare ${a} ${b}`, (signal) => loadPair(a, b, signal));
  useChanges(() => {
    if (reading.value !== null && (isOpen(reading.value.a.handler) || isOpen(reading.value.b.handler)))
      reading.reload();
  });
  return (
    <Page
      title="Compare"
      above={{ title: "Runs", href: hrefOf("runs") }}
      actions={
        <a className="btn" href={hrefOf("compare", b, a)}>
          Swap sides
        </a>
      }
    >
      {others.length > 1 && <OtherRuns {...{ a, b, others }} />}
      <Read reading={reading} rows={8}>
        {(pair) => <Comparison key={b} {...pair} />}
      </Read>
    </Page>
  );
}

interface Pair {
  readonly a: LoadedRun;
  readonly b: LoadedRun;
  readonly fork: DifferenceFacts["fork"];
  /** `null` of runs of two workflows. */
  readonly graph: WorkflowGraphData | null;
}

async function loadPair(idOfA: string, idOfB: string, signal: AbortSignal): Promise<Pair> {
  const [a, b] = await Promise.all([loadRun(idOfA, signal), loadRun(idOfB, signal)]);
  const workflow = a.handler.workflow;
  const origin = b.handler.forkedFrom;
  const at = origin?.handlerId === idOfA ? origin.at : null;
  const [graph, before] = await Promise.all([
    workflow === b.handler.workflow ? readGraph(workflow, signal) : null,
    at === null ? null : client.at(idOfA, at, { signal }),
  ]);
  const forked = b.entries.find(({ tick }) => tick.type === "run.forked");
  const after = forked?.tick["state"];
  return { a, b, graph, fork: at === null || before === null ? null : { at, before: before.state, after } };
}

function Comparison({ a, b, fork, graph }: Pair): ReactNode {
  const table = useRef<HTMLTableElement>(null);
  const { left, right, pairs, difference } = useMemo(() => {
    const [left, right] = [compared(a, graph), compared(b, graph)];
    const pairs = matchTicks(left, right, fork?.at ?? 0);
    return { left, right, pairs, difference: firstDifference({ a: left, b: right, pairs, fork }) };
  }, [a, b, fork, graph]);
  const models = useMemo(() => modelPairs(a, b, fork?.at ?? null), [a, b, fork]);
  const show = (): void => table.current?.querySelector("tr.first")?.scrollIntoView({ block: "center" });
  return (
    <>
      <div className="pair">
        <Side run={a} letter="A" attempts={left.attempts.filter(isOwn(left)).length} />
        <Side run={b} letter="B" attempts={right.attempts.filter(isOwn(right)).length} />
      </div>
      <div className={`firstdiff ${difference === null ? "same" : ""}`}>
        <span className="mark">
          <Icon name={difference === null ? "done" : "compare"} />
        </span>
        <span className="grow">
          {difference === null ? (
            <b>The runs are equal.</b>
          ) : (
            <>
              <b>First difference.</b> <Sentence pieces={difference.pieces} />
            </>
          )}
        </span>
        {difference !== null && difference.row !== null && (
          <Button isSmall onClick={show}>
            Show
          </Button>
        )}
      </div>
      <ModelTable pairs={models} />
      <StateTable a={stateOf(a, graph)} b={stateOf(b, graph)} />
      {graph !== null && <StepTable a={a} b={b} graph={graph} forkAt={fork?.at ?? null} />}
      <TickTable
        a={a.handler.handlerId}
        b={b.handler.handlerId}
        pairs={pairs}
        forkAt={fork?.at ?? null}
        tableRef={table}
      />
    </>
  );
}

function compared({ handler, entries, attempts }: LoadedRun, graph: WorkflowGraphData | null): ComparedRun {
  const { handlerId: runId } = handler;
  const naming = stepNaming(graph, { runId, workflows: workflowsOf(attempts) });
  return { runId, entries, attempts, naming, isPipeline: isPipeline(graph) };
}

function Sentence({ pieces }: { readonly pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a sentence has an order
    typeof piece === "string" ? piece : <code key={index}>{piece.code}</code>,
  );
}

/** Whether an attempt is of a step that its author wrote. */
const isOwn =
  ({ naming }: ComparedRun) =>
  ({ step, runId }: RunAttempt): boolean =>
    !naming(step, runId).isInner;

interface SideProps {
  readonly run: LoadedRun;
  readonly letter: string;
  readonly attempts: number;
}

function Side({ run, letter, attempts }: SideProps): ReactNode {
  const { handler, entries } = run;
  const { handlerId: id, startedAtMs, updatedAtMs } = handler;
  const outcome = outcomeOf(handler);
  return (
    <div className="panel side-card">
      <div className="row">
        <span className="letter" aria-hidden="true">
          {letter}
        </span>
        <a className="mono cut idlink" href={hrefOf("run", id)}>
          {id}
        </a>
        <span className="grow" />
        <StatusBadge status={statusOf(handler)} />
      </div>
      <div className="num ink2 small">
        {duration((endedAtMsOf(handler) ?? updatedAtMs) - startedAtMs)} · {plural(attempts, "attempt")} ·{" "}
        {plural(entries.filter(({ number }) => number > 0).length, "tick")}
      </div>
      <div className="mono cut muted small" title={outcome}>
        {outcome}
      </div>
    </div>
  );
}

/** Of a pipeline, the state of its session: all else is how it runs. */
function stateOf({ end }: LoadedRun, graph: WorkflowGraphData | null): Json {
  const state = (end?.state ?? null) as Json;
  return isPipeline(graph) && isRecord(state) ? ((state["session"] ?? null) as Json) : state;
}

function isPipeline(graph: WorkflowGraphData | null): boolean {
  return graph !== null && isPipelineGraph(outlineSourceOf(graph));
}
