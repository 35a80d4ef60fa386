import type { StatusCounts, WorkflowDetails } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { endedAtMsOf } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";
import { drawingOf } from "../graph/draw.js";
import type { WorkflowGraphData } from "../graph/graph-data.types.js";
import { MiniGraph } from "../graph/mini-graph.js";
import { useGraph } from "../graph/use-graph.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { plural } from "../ui/format.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { type ShownStatus, statusOf, wordOf } from "../ui/status.js";

/** All workflows, each with a small graph and how its last runs ended. */
export function WorkflowsPage(): ReactNode {
  const list = useRead("workflows", (signal) => client.workflowDetails({ signal }));
  useChanges(list.reload);
  return (
    <Page title="Workflows">
      <div className="panel">
        <Read reading={list}>
          {(workflows) =>
            workflows.length === 0 ? (
              <Empty>This server has no workflows: its runtime was given none.</Empty>
            ) : (
              workflows.map((details) => <WorkflowRow key={details.name} {...details} />)
            )
          }
        </Read>
      </div>
    </Page>
  );
}

function WorkflowRow({ name, description, counts, lastRun }: WorkflowDetails): ReactNode {
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
      {graph.value === null ? <span className="mini" /> : <MiniGraph graph={graph.value} />}
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
