import type { SessionRun } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import type { Json } from "../api/json.types.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { short } from "../ui/format.js";
import { JsonTree } from "../ui/json-tree.js";
import { Card, Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { type ShownStatus, StatusBadge, statusOf } from "../ui/status.js";
import { Ago } from "../ui/time.js";

/** A session: its state now, and the runs that made it so. */
export function SessionPage({ id }: { readonly id: string }): ReactNode {
  const reading = useRead(`session ${id}`, (signal) => client.session(id, { signal }));
  useChanges(reading.reload);
  return (
    <Page title={id} above={{ title: "Sessions", href: hrefOf("sessions") }}>
      <Read reading={reading}>
        {({ state, runs }) => (
          <div className="stack">
            <Card title="State">
              <JsonTree value={state as Json} empty="The session has no state." />
            </Card>
            <Card title="Runs">{runs.length === 0 ? <Empty>No run yet.</Empty> : <History runs={runs} />}</Card>
          </div>
        )}
      </Read>
    </Page>
  );
}

const shownAs: Readonly<Record<string, ShownStatus>> = {
  completed: "done",
  failed: "failed",
  error: "failed",
  cancelled: "cancelled",
  paused: "waiting",
  running: "running",
};

function History({ runs }: { readonly runs: readonly SessionRun[] }): ReactNode {
  return (
    <ol className="history">
      {runs.map((run) => (
        <li key={run.handlerId}>
          <div className="row">
            <Status run={run} />
            <a className="id mono cut" href={hrefOf("run", run.handlerId)}>
              {run.handlerId}
            </a>
            <a className="muted" href={hrefOf("workflow", run.workflow)}>
              {run.workflow}
            </a>
            <span className="grow" />
            <span className="ink2 num started">
              <Ago atMs={run.atMs} />
            </span>
          </div>
          <Said label="Input" value={run.input} />
          <Said label="Output" value={run.output} />
        </li>
      ))}
    </ol>
  );
}

/** A session keeps how its runs ended. How one stands that has not ended, the run itself says. */
function Status({ run: { status: kept, handlerId } }: { readonly run: SessionRun }): ReactNode {
  const status = shownAs[kept.toLowerCase()] ?? "done";
  const key = status === "running" || status === "waiting" ? `run ${handlerId}` : null;
  const { value } = useRead(key, (signal) => client.handle(handlerId).summary({ signal }));
  return <StatusBadge status={value === null ? status : statusOf(value)} />;
}

const LONGEST = 400;

function Said({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
  if (value === null) return null;
  const text = typeof value === "string" ? value : short(value, LONGEST);
  return (
    <div className="said">
      <span className="muted">{label}</span>
      <p>{text}</p>
    </div>
  );
}
