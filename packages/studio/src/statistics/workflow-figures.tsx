/** What has ended of one workflow: its figures, over time, by version, and of each step. */
import type { Statistics, StepFigures, WorkflowFigures } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { type Reading, useRead } from "../api/use-read.js";
import type { WorkflowGraphData } from "../graph/graph-data.js";
import { stepNaming } from "../model/step-names.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { percent, sentenceOf, took } from "../ui/figures.js";
import { grouped } from "../ui/format.js";
import { Card } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { FigureTiles } from "./figures.js";
import { TimeBars, type TimeMark } from "./time-bars.js";
import { rangeMs, type TimeRange, TimeRangeChoice } from "./time-range.js";

export interface OfWorkflow {
  readonly all: Statistics;
  readonly byVersion: Statistics;
}

export function useWorkflowFigures(name: string, range: TimeRange): Reading<OfWorkflow> {
  const reading = useRead(`statistics ${name} ${range}`, async (signal) => {
    const filter = { workflow: name, after: Date.now() - rangeMs[range], signal };
    const [all, byVersion] = await Promise.all([
      client.statistics(filter),
      client.statistics({ ...filter, by: "version" }),
    ]);
    return { all, byVersion };
  });
  useChanges(reading.reload);
  return reading;
}

interface WorkflowFiguresCardProps {
  readonly name: string;
  readonly graph: Reading<WorkflowGraphData>;
  readonly reading: Reading<OfWorkflow>;
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
  /** Where its runs of that time are listed, or the failed ones of them. */
  readonly runsHref: (isFailed: boolean) => string;
}

export function WorkflowFiguresCard(props: WorkflowFiguresCardProps): ReactNode {
  const { name, graph, reading, range, onRange, runsHref } = props;
  const aside = (
    <>
      <span className="grow" />
      <TimeRangeChoice value={range} onChange={onRange} />
    </>
  );
  return (
    <Card title="Statistics" aside={aside}>
      <Read reading={reading} rows={3}>
        {({ all, byVersion }) => {
          const [figures] = all.workflows;
          if (figures === undefined) return <Empty>No run has ended in this time.</Empty>;
          return (
            <>
              <FigureTiles figures={figures} runsHref={runsHref(false)} failedHref={runsHref(true)} />
              <OverTime time={all} figures={figures} marks={deployments(byVersion.workflows)} />
              {byVersion.workflows.length > 1 && <Versions versions={byVersion.workflows} />}
              {isRead(graph) && <Steps name={name} steps={figures.steps} graph={graph.value} />}
            </>
          );
        }}
      </Read>
    </Card>
  );
}

/** Which steps an author wrote is in the graph. If it cannot be read, all are listed. */
function isRead({ value, error }: Reading<WorkflowGraphData>): boolean {
  return value !== null || error !== null;
}

/** Where each version but the first one has its first runs. */
function deployments(versions: readonly WorkflowFigures[]): readonly TimeMark[] {
  const firsts = versions.flatMap(({ version, periods: [first] }) =>
    first === undefined ? [] : [{ atMs: first.atMs, text: version ?? "not known" }],
  );
  const begin = Math.min(...firsts.map(({ atMs }) => atMs));
  return firsts.filter(({ atMs }) => atMs > begin);
}

interface OverTimeProps {
  readonly time: Statistics;
  readonly figures: WorkflowFigures;
  readonly marks: readonly TimeMark[];
}

function OverTime({ time, figures, marks }: OverTimeProps): ReactNode {
  const ended = figures.periods.map(({ atMs, count, failed }) => ({
    atMs,
    parts: [
      ["failed", failed],
      ["done", count - failed],
    ] as const,
  }));
  const slow = figures.periods.map(({ atMs, p95Ms }) => ({ atMs, parts: [["took", p95Ms ?? 0]] as const }));
  return (
    <div className="overtime">
      <figure>
        <figcaption className="muted">Runs ended, failed ones below</figcaption>
        <TimeBars {...time} bars={ended} marks={marks} noun="run" />
      </figure>
      <figure>
        <figcaption className="muted">95 % took at most</figcaption>
        <TimeBars {...time} bars={slow} marks={marks} noun="millisecond" />
      </figure>
    </div>
  );
}

function Versions({ versions }: { readonly versions: readonly WorkflowFigures[] }): ReactNode {
  return (
    <FiguresTable
      label="By version"
      head="Version"
      rows={versions.map((figures) => ({
        key: figures.version ?? "",
        name: figures.version ?? "not known",
        title: sentenceOf(figures, "runs"),
        figures,
        href: null,
      }))}
    />
  );
}

interface StepsProps {
  readonly name: string;
  readonly steps: readonly StepFigures[];
  readonly graph: WorkflowGraphData | null;
}

/** Without the steps by which a pipeline moves on. */
function Steps({ name, steps, graph }: StepsProps): ReactNode {
  const naming = stepNaming(graph, { runId: name, workflows: new Map() });
  const rows = steps.flatMap((figures) => {
    const { owner, label, isInner } = naming(figures.step, name);
    return isInner || owner !== figures.step ? [] : [{ figures, label }];
  });
  if (rows.length === 0) return null;
  return (
    <FiguresTable
      label="By step"
      head="Step (attempts)"
      rows={rows.map(({ figures, label }) => ({
        key: figures.step,
        name: label,
        title: sentenceOf(figures, "attempts"),
        figures,
        href: figures.failed > 0 ? hrefOf("failures", name) : null,
      }))}
    />
  );
}

interface FiguresTableProps {
  readonly label: string;
  readonly head: string;
  readonly rows: readonly {
    readonly key: string;
    readonly name: string;
    readonly title: string;
    readonly figures: StepFigures | WorkflowFigures;
    readonly href: string | null;
  }[];
}

function FiguresTable({ label, head, rows }: FiguresTableProps): ReactNode {
  return (
    <table className="list still" aria-label={label}>
      <thead>
        <tr>
          <th>{head}</th>
          <th className="right">Ended</th>
          <th className="right">Failed</th>
          <th className="right">Half</th>
          <th className="right">95 %</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, title, figures, href }) => (
          <tr key={key} title={title}>
            <td className="main">
              <span className="cut name mono">{name}</span>
            </td>
            <td className="right num">{grouped(figures.count)}</td>
            <td className={`right num ${figures.failed > 0 ? "s-failed" : ""}`}>
              {href === null ? percent(figures) : <a href={href}>{percent(figures)}</a>}
            </td>
            <td className="right num">{took(figures.p50Ms)}</td>
            <td className="right num">{took(figures.p95Ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
