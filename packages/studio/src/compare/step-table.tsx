import type { RunAttempt } from "@millrace/client";
import { type ReactNode, useMemo } from "react";
import { endedAtMsOf } from "../api/run-facts.js";
import type { WorkflowGraphData } from "../graph/graph-data.js";
import { type StepName, stepNaming } from "../model/step-names.js";
import { duration, plural } from "../ui/format.js";
import { Card } from "../ui/page.js";
import type { LoadedRun } from "./load-run.js";

export interface StepTableProps {
  readonly a: LoadedRun;
  readonly b: LoadedRun;
  readonly graph: WorkflowGraphData;
  /** Tick after which `b` was forked. */
  readonly forkAt: number | null;
}

/** How long each step took on both sides. */
export function StepTable({ a, b, graph, forkAt }: StepTableProps): ReactNode {
  const rows = useMemo(() => {
    const naming = stepNaming(graph, { runId: graph.name, workflows: new Map() });
    const nameOf = (step: string): StepName => naming(step, graph.name);
    const [ofA, ofB] = [a, b].map((run) => sumsOf(run, (step) => nameOf(step).owner)) as [Sums, Sums];
    return graph.nodes
      .filter(({ kind, name }) => kind === "step" && !nameOf(name).isInner && nameOf(name).owner === name)
      .map(({ name, label }) => ({ name, label: label ?? name, a: ofA.get(name), b: ofB.get(name) }));
  }, [a, b, graph]);
  const most = Math.max(1, ...rows.flatMap((row) => [row.a?.ms ?? 0, row.b?.ms ?? 0]));
  const isBefore = (sum: Sum | undefined): boolean => forkAt !== null && sum !== undefined && sum.firstTick < forkAt;
  return (
    <Card title="Steps" className="part">
      <table className="diffgrid three">
        <thead className="sr">
          <tr>
            <th scope="col">Step</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row" className="mono">
                {row.label}
              </th>
              <Time sum={row.a} most={most} otherwise="not reached" />
              <Time sum={row.b} most={most} otherwise={isBefore(row.a) ? "before the fork" : "not reached"} />
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

interface Sum {
  readonly ms: number;
  readonly attempts: number;
  readonly firstTick: number;
}

interface TimeProps {
  readonly sum: Sum | undefined;
  readonly most: number;
  readonly otherwise: string;
}

function Time({ sum, most, otherwise }: TimeProps): ReactNode {
  if (sum === undefined) {
    return (
      <td>
        <span className="muted">{otherwise}</span>
      </td>
    );
  }
  return (
    <td>
      <div className="row num wrap">
        <span className="share hide-sm">
          <i style={{ width: `${Math.max(2, (sum.ms / most) * 100)}%` }} />
        </span>
        <span>{duration(sum.ms)}</span>
        <span className="muted">{plural(sum.attempts, "attempt")}</span>
      </div>
    </td>
  );
}

type Sums = ReadonlyMap<string, Sum>;

/** @param ownerOf The step that a step is shown as. */
function sumsOf({ handler, attempts }: LoadedRun, ownerOf: (step: string) => string): Sums {
  const endMs = endedAtMsOf(handler) ?? handler.updatedAtMs;
  const sums = new Map<string, Sum>();
  for (const attempt of attempts) {
    if (attempt.runId !== handler.handlerId) continue;
    const owner = ownerOf(attempt.step);
    const known = sums.get(owner);
    sums.set(owner, {
      ms: (known?.ms ?? 0) + lengthOf(attempt, endMs),
      attempts: (known?.attempts ?? 0) + 1,
      firstTick: known?.firstTick ?? attempt.startedTick,
    });
  }
  return sums;
}

function lengthOf({ startedAtMs, endedAtMs }: RunAttempt, endMs: number): number {
  return Math.max(0, (endedAtMs ?? endMs) - startedAtMs);
}
