import type { WorkerState } from "@millrace/client/operate";
import type { ReactNode } from "react";
import { operator } from "../api/operator.js";
import { useRead } from "../api/use-read.js";
import { plural } from "../ui/format.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { Ago } from "../ui/time.js";
import { useLive } from "./use-live.js";

/** The processes that execute runs: who is alive, since when, and what they hold. */
export function WorkersPage(): ReactNode {
  const reading = useRead("workers", (signal) => operator.workers.list({ signal }));
  useLive(reading.reload);
  return (
    <Page title="Workers" width="wide">
      <div className="panel">
        <Read reading={reading}>
          {(workers) =>
            workers.length === 0 ? <Empty>No process executes runs.</Empty> : <WorkerTable workers={workers} />
          }
        </Read>
      </div>
    </Page>
  );
}

function WorkerTable({ workers }: { readonly workers: readonly WorkerState[] }): ReactNode {
  return (
    <table className="list still desk">
      <thead>
        <tr>
          <th>Worker</th>
          <th>State</th>
          <th className="hide-sm">Version</th>
          <th className="hide-sm">Since</th>
          <th className="right">Heartbeat</th>
          <th className="right">Runs</th>
          <th className="right hide-sm">Places</th>
          <th className="hide-sm">Takes</th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <Row key={worker.id} {...worker} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  id,
  host,
  pid,
  version,
  isAlive,
  runs,
  maxRuns,
  places,
  workflows,
  queues,
  ...times
}: WorkerState): ReactNode {
  const name = host === "" ? id.slice(0, 8) : `${host}${pid === null ? "" : `:${pid}`}`;
  const queueNames = Object.keys(queues);
  return (
    <tr>
      <td className="main">
        <span className="cut mono" title={`${name} ${id}`}>
          {name}
        </span>
      </td>
      <td>
        {isAlive ? (
          <span className="st badge s-done">Alive</span>
        ) : (
          <span
            className="st badge s-failed"
            title="It sent no heartbeat before its lease ran out. Others take its runs."
          >
            Gone
          </span>
        )}
      </td>
      <td className="mono hide-sm">{version === "" ? <span className="muted">–</span> : version}</td>
      <td className="num started hide-sm">
        <Ago atMs={times.startedAtMs} />
      </td>
      <td className="right num started">
        <Ago atMs={times.beatAtMs} />
      </td>
      <td className="right num" title={isAlive ? undefined : "At its last heartbeat"}>
        {runs}
        {maxRuns !== null && <span className="muted"> of {maxRuns}</span>}
      </td>
      <td className="right num hide-sm">{places}</td>
      <td className="ink2 hide-sm" title={[...workflows, ...queueNames].join(", ")}>
        {plural(workflows.length, "workflow")}
        {queueNames.length > 0 && `; ${queueNames.join(", ")}`}
      </td>
    </tr>
  );
}
