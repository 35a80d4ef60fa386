import type { FailureGroup, Failures } from "@millrace/client";
import { type ReactNode, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { BulkDialog } from "../bulk/bulk-dialog.js";
import { BulkJobs } from "../bulk/bulk-jobs.js";
import { noFilter, type RunFilter } from "../model/run-filter.js";
import { queryOf } from "../model/run-query.js";
import { go, hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { TimeBars } from "../statistics/time-bars.js";
import { rangeMs, type TimeRange, TimeRangeChoice } from "../statistics/time-range.js";
import { Button } from "../ui/controls.js";
import { grouped } from "../ui/format.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { Ago } from "../ui/time.js";

/** Failures of runs, grouped by step and message; all runs of a group are retried at once. @param workflow Name of a workflow; `""` for all. */
export function FailuresPage({ workflow }: { readonly workflow: string }): ReactNode {
  const [range, setRange] = useState<TimeRange>("24h");
  const workflows = useRead("workflow names", (signal) => client.workflows({ signal }));
  const reading = useRead(`failures ${workflow} ${range}`, (signal) =>
    client.failures({ after: Date.now() - rangeMs[range], signal, ...(workflow !== "" && { workflow }) }),
  );
  useChanges(reading.reload);
  const [retried, setRetried] = useState<RunFilter | null>(null);
  return (
    <Page title="Failures" width="wide">
      <BulkJobs />
      <div className="tools">
        <TimeRangeChoice value={range} onChange={setRange} />
        <select
          aria-label="Workflow"
          value={workflow}
          onChange={({ target }) => go(target.value === "" ? hrefOf("failures") : hrefOf("failures", target.value))}
        >
          <option value="">All workflows</option>
          {workflows.value?.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <div className="panel">
        <Read reading={reading}>
          {(failures) =>
            failures.groups.length === 0 ? (
              <Empty>No run has failed in this time.</Empty>
            ) : (
              <ul className="failures">
                {failures.groups.map((group) => (
                  <Group key={group.id} group={group} time={failures} onRetry={setRetried} />
                ))}
              </ul>
            )
          }
        </Read>
      </div>
      {retried !== null && (
        <BulkDialog
          action="retry"
          selection="all"
          filter={retried}
          onClose={() => setRetried(null)}
          onStarted={() => {
            setRetried(null);
            scrollTo(0, 0); // to the progress
          }}
        />
      )}
    </Page>
  );
}

interface GroupProps {
  readonly group: FailureGroup;
  readonly time: Failures;
  /** Called with the filter of its runs. */
  readonly onRetry: (runs: RunFilter) => void;
}

function Group({ group, time, onRetry }: GroupProps): ReactNode {
  const { may } = useStudioConfig();
  const filter = { ...noFilter, failure: group.id };
  const runs = hrefOf("runs", queryOf(filter));
  const bars = group.periods.map(({ atMs, count }) => ({ atMs, parts: [["failed", count]] as const }));
  return (
    <li>
      <div className="grow">
        <a className="message" href={runs}>
          {group.message === "" ? "An error without a message" : group.message}
        </a>
        <div className="muted failfacts">
          <span>
            {group.workflow}
            {group.step !== null && ` › ${group.step}`}
          </span>
          {group.code !== null && <span className="mono">{group.code}</span>}
          <span>
            first <Ago atMs={group.firstAtMs} />, last <Ago atMs={group.lastAtMs} />
          </span>
          <Versions versions={group.versions} />
        </div>
      </div>
      <TimeBars {...time} bars={bars} noun="failure" className="small" />
      <a className="count num" href={runs} title="Shows the runs">
        {grouped(group.count)}
        <span className="sr"> failures</span>
      </a>
      {may.retry && (
        <Button isSmall onClick={() => onRetry(filter)}>
          Retry…
        </Button>
      )}
    </li>
  );
}

function Versions({ versions }: Pick<FailureGroup, "versions">): ReactNode {
  const known = versions.filter(({ version }) => version !== null);
  if (known.length === 0) return null;
  return (
    <span className="chips">
      {known.map(({ version, count }) => (
        <span key={version} className="chip" title={`${count} in version ${version}`}>
          {version}
        </span>
      ))}
    </span>
  );
}
