import type { RunSummary, ShownEventRole, StepFigures } from "@millrace/client";
import { type ReactNode, useCallback, useState } from "react";
import { client } from "../api/client.js";
import type { JsonSchema } from "../api/json.types.js";
import { readEvents, type WorkflowEvent } from "../api/read-events.js";
import { endedAtMsOf } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";
import { CodeDialog } from "../graph/code-dialog.js";
import type { WorkflowGraphData } from "../graph/graph-data.js";
import { useGraph } from "../graph/use-graph.js";
import { WorkflowGraph } from "../graph/workflow-graph.js";
import { noFilter, type RunFilter, runFilter } from "../model/run-filter.js";
import { queryOf } from "../model/run-query.js";
import { go, hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { useStudioConfig } from "../shell/studio-config.js";
import type { TimeRange } from "../statistics/time-range.js";
import { useWorkflowFigures, WorkflowFiguresCard } from "../statistics/workflow-figures.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Card, Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { Ago, Duration } from "../ui/time.js";
import { RunForm } from "./run-form.js";

const SHOWN = 10;

/** A workflow: its graph, its last runs, its events, and a form that starts a run. */
export function WorkflowPage({ name }: { readonly name: string }): ReactNode {
  const graph = useGraph(name);
  const { may, sources } = useStudioConfig();
  const [step, setStep] = useState<string | null>(null);
  const [range, setRange] = useState<TimeRange>("24h");
  const figures = useWorkflowFigures(name, range);
  const steps = figures.value?.all.workflows[0]?.steps ?? null;
  const runsHref = useCallback(
    (more: Partial<RunFilter>) => hrefOf("runs", queryOf({ ...noFilter, workflow: name, after: range, ...more })),
    [name, range],
  );
  const stepHref = useCallback(
    (failedStep: string | null) => runsHref(failedStep === null ? {} : { failedStep }),
    [runsHref],
  );
  const [isEventsOpen, setEventsOpen] = useState(false);
  return (
    <Page
      title={name}
      above={{ title: "Workflows", href: hrefOf("workflows") }}
      width="wider"
      actions={<Button onClick={() => setEventsOpen(true)}>Events</Button>}
    >
      <div className={may.start ? "cols" : ""}>
        <div className="stack">
          <section className="panel graphpanel" aria-label="Graph">
            <Read reading={graph} rows={8}>
              {(value) => (
                <SizedGraph graph={value} figures={steps} runsHref={stepHref} onSelect={sources ? setStep : null} />
              )}
            </Read>
          </section>
          <WorkflowFiguresCard
            {...{ name, graph, range }}
            reading={figures}
            onRange={setRange}
            runsHref={(isFailed) => runsHref(isFailed ? { status: "failed" } : {})}
          />
          <LastRuns name={name} />
        </div>
        {may.start && <RunForm name={name} />}
      </div>
      {isEventsOpen && <Events name={name} onClose={() => setEventsOpen(false)} />}
      {step !== null && <CodeDialog workflow={name} step={step} onClose={() => setStep(null)} />}
    </Page>
  );
}

const TALL = 14;

interface SizedGraphProps {
  readonly graph: WorkflowGraphData;
  readonly figures: readonly StepFigures[] | null;
  readonly runsHref: (failedStep: string | null) => string;
  readonly onSelect: ((step: string) => void) | null;
}

function SizedGraph({ graph, figures, runsHref, onSelect }: SizedGraphProps): ReactNode {
  const steps = graph.nodes.filter(({ kind }) => kind === "step").length;
  return (
    <div className={`graphbox ${steps >= TALL || graph.groups.length > 0 ? "tall" : ""}`}>
      <WorkflowGraph graph={graph} figures={figures} runsHref={runsHref} {...(onSelect !== null && { onSelect })} />
    </div>
  );
}

function LastRuns({ name }: { readonly name: string }): ReactNode {
  const reading = useRead(`last ${name}`, (signal) => client.runs({ workflow: name, limit: SHOWN, signal }));
  useChanges(reading.reload);
  const all = (
    <>
      <span className="grow" />
      <a className="btn ghost sm" href={hrefOf("runs")} onClick={() => runFilter.set({ ...noFilter, workflow: name })}>
        All runs
      </a>
    </>
  );
  return (
    <Card title="Runs" aside={all}>
      <Read reading={reading} rows={3}>
        {({ runs }) => (runs.length === 0 ? <Empty>No run yet.</Empty> : <RunRows runs={runs} />)}
      </Read>
    </Card>
  );
}

function RunRows({ runs }: { readonly runs: readonly RunSummary[] }): ReactNode {
  return (
    <table className="list" aria-label="Last runs">
      <tbody>
        {runs.map((run) => (
          <tr key={run.handlerId} onClick={() => go(hrefOf("run", run.handlerId))}>
            <td className="statuscell">
              <StatusBadge status={statusOf(run)} />
            </td>
            <td className="main">
              <a className="id cut" href={hrefOf("run", run.handlerId)} title={run.handlerId}>
                {run.handlerId}
              </a>
            </td>
            <td className="right num hide-sm">
              <Duration fromMs={run.startedAtMs} toMs={endedAtMsOf(run)} />
            </td>
            <td className="right ink2 num started">
              <Ago atMs={run.startedAtMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const roleWords: Readonly<Partial<Record<ShownEventRole, string>>> = {
  start: "starts a run",
  stop: "ends a run",
  input_required: "asks a person",
  human_response: "answers",
  external: "from outside",
};

function Events({ name, onClose }: { readonly name: string; readonly onClose: () => void }): ReactNode {
  const reading = useRead(`events ${name}`, (signal) => readEvents(name, signal));
  return (
    <Dialog title={`Events of ${name}`} isWide onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Read reading={reading} rows={3}>
        {(events) => (
          <table className="list still" aria-label="Events of the workflow">
            <tbody>
              {events.filter(isOfUsers).map(({ type, role, schema }) => (
                <tr key={type}>
                  <td className="mono eventname">{type}</td>
                  <td className="ink2">{roleWords[role]}</td>
                  <td className="mono muted hide-sm fieldnames">{fieldsOf(schema)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Read>
    </Dialog>
  );
}

/** Pipelines have internal events between their steps, which are not shown. */
function isOfUsers({ type }: WorkflowEvent): boolean {
  return !type.startsWith("pipeline.");
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): string {
  return Object.keys(properties)
    .map((field) => (required.includes(field) ? field : `${field}?`))
    .join(", ");
}
