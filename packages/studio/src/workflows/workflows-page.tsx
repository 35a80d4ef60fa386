import type { StatusCounts, WorkflowDetails, WorkflowFigures } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { endedAtMsOf } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";
import { drawingOf } from "../graph/draw.js";
import type { WorkflowGraphData } from "../graph/graph-data.js";
import { useGraph } from "../graph/use-graph.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { percent, took } from "../ui/figures.js";
import { plural } from "../ui/format.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { type ShownStatus, statusOf, wordOf } from "../ui/status.js";

/** All workflows, each with how many of its runs failed, how long they took, and how the last ones ended. */
export function WorkflowsPage(): ReactNode {
  const list = useRead("workflows", (signal) => client.workflowDetails({ signal }));
  const statistics = useRead("statistics", (signal) => client.statistics({ signal }));
  useChanges(() => {
    list.reload();
    statistics.reload();
  });
  const figuresOf = (name: string): WorkflowFigures | undefined =>
    statistics.value?.workflows.find(({ workflow }) => workflow === name);
  return (
    <Page title="Workflows">
      <div className="panel">
        <Read reading={list}>
          {(workflows) =>
            workflows.length === 0 ? (
              <Empty>This server has no workflows: its runtime was given none.</Empty>
            ) : (
              workflows.map((details) => (
                <WorkflowRow key={details.name} {...details} figures={figuresOf(details.name)} />
              ))
            )
          }
        </Read>
      </div>
    </Page>
  );
}

interface WorkflowRowProps extends WorkflowDetails {
  /** Of the last 24 hours; `undefined`: no run has ended. */
  readonly figures: WorkflowFigures | undefined;
}

function WorkflowRow({ name, description, counts, lastRun, figures }: WorkflowRowProps): ReactNode {
  const graph = useGraph(name);
  return (
    <a className="wfrow" href={hrefOf("workflow", name)}>
      <div className="grow">
        <div className="wfname cut" title={name}>
          {name}
        </div>
        <div className="muted wffacts">
          {[factsOf(graph.value), plural(counts.total, "run")].filter(Boolean).join(" · ")}
        </div>
        {description !== null && <div className="muted wffacts cut">{description}</div>}
      </div>
      <div className="wfnumbers num">
        <span className={figures !== undefined && figures.failed > 0 ? "s-failed" : ""}>
          {figures === undefined ? "–" : percent(figures)}
          <small>failed, 24 h</small>
        </span>
        <span>
          {took(figures?.p95Ms ?? null)}
          <small>95 % at most</small>
        </span>
      </div>
      <LastRuns name={name} stamp={lastRun?.handlerId ?? ""} counts={counts} />
    </a>
  );
}

function factsOf(graph: WorkflowGraphData | null): string {
  if (graph === null) return "";
  const { nodes, groups } = drawingOf(graph);
  const steps = nodes.filter(({ kind }) => kind === "step").length;
  const asks = nodes.some(({ kind }) => kind === "human");
  const isPipeline = groups.length > 0 || nodes.some(({ name }) => name === "pipeline.start");
  return [plural(steps, "step"), asks ? "asks people" : "", isPipeline ? "pipeline" : ""].filter(Boolean).join(", ");
}

const SHOWN = 8;

interface LastRunsProps {
  readonly name: string;
  readonly stamp: string;
  readonly counts: StatusCounts;
}

/** How the last runs ended, and how long they took, the newest on the right. */
function LastRuns({ name, stamp, counts }: LastRunsProps): ReactNode {
  const key = `last ${name} ${stamp} ${JSON.stringify(counts)}`;
  const { value } = useRead(key, (signal) => client.runs({ workflow: name, limit: SHOWN, signal }));
  const runs = value?.runs.toReversed() ?? [];
  const words = runs.map((run): ShownStatus => statusOf(run)).map(wordOf);
  return (
    <span className="spark" role="img" aria-label={runs.length === 0 ? "No runs" : `Last runs: ${words.join(", ")}`}>
      {runs.map((run) => {
        const tookMs = (endedAtMsOf(run) ?? run.updatedAtMs) - run.startedAtMs;
        return (
          <i
            key={run.handlerId}
            className={statusOf(run)}
            style={{ height: 6 + Math.min(18, Math.log10(tookMs + 1) * 3) }}
          />
        );
      })}
    </span>
  );
}
