/** Several runs that are compared with one, such as a call of a model that was asked again: what each came to. */
import type { RunSummary } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { jsonOf } from "../api/plain-json.js";
import { endedAtMsOf } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { duration, plural } from "../ui/format.js";
import { Card } from "../ui/page.js";
import { Read } from "../ui/states.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { outcomeOf } from "./load-run.js";

export interface OtherRunsProps {
  readonly a: string;
  /** The one that is compared. */
  readonly b: string;
  readonly others: readonly string[];
}

export function OtherRuns({ a, b, others }: OtherRunsProps): ReactNode {
  const reading = useRead(`others ${a} ${others.join(" ")}`, (signal) => {
    const all = [a, ...others].map((id) => client.handle(id).summary({ signal }));
    return Promise.all(all);
  });
  useChanges(reading.reload);
  return (
    <Card title={`${plural(others.length, "run")} beside A`} className="part">
      <Read reading={reading} rows={others.length}>
        {([first, ...runs]) => <Rows {...{ a, b, others, runs }} result={resultOf(first)} />}
      </Read>
    </Card>
  );
}

interface RowsProps extends OtherRunsProps {
  readonly runs: readonly RunSummary[];
  /** That of A. */
  readonly result: string | null;
}

function Rows({ a, b, others, runs, result }: RowsProps): ReactNode {
  return (
    <table className="list others">
      <thead>
        <tr>
          <th>Run</th>
          <th>Status</th>
          <th>Result</th>
          <th className="hide-sm">Beside A</th>
          <th className="right hide-sm">Took</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => {
          const { handlerId: id } = run;
          const own = resultOf(run);
          return (
            <tr key={id} className={id === b ? "chosen" : ""}>
              <td>
                <a
                  className="id cut"
                  href={hrefOf("compare", a, id, ...others)}
                  aria-current={id === b ? "true" : undefined}
                  title={id}
                >
                  {id.startsWith(`${a}-`) ? id.slice(a.length + 1) : id}
                </a>
              </td>
              <td>
                <StatusBadge status={statusOf(run)} />
              </td>
              <td className="main mono">
                <span className="cut outcome" title={outcomeOf(run)}>
                  {outcomeOf(run)}
                </span>
              </td>
              <td className="hide-sm ink2">{own === null ? "" : own === result ? "equal" : "differs"}</td>
              <td className="right num ink2 hide-sm">
                {duration((endedAtMsOf(run) ?? run.updatedAtMs) - run.startedAtMs)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** `null` of a run without a result. */
function resultOf(run: RunSummary | undefined): string | null {
  return run?.status === "completed" ? JSON.stringify(jsonOf(run.result)) : null;
}
