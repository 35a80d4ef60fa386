import type { QueueState } from "@millrace/client/operate";
import { type ReactNode, useState } from "react";
import { operator } from "../api/operator.js";
import { useRead } from "../api/use-read.js";
import { useSend } from "../api/use-send.js";
import { hrefOf } from "../route.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { duration, grouped } from "../ui/format.js";
import { Card, Page } from "../ui/page.js";
import { Empty, ErrorBox, Read } from "../ui/states.js";
import { useNow } from "../ui/use-now.js";
import { Changed, Fact, limitText } from "./facts.js";
import { LimitDialog } from "./limit-dialog.js";
import { useLive } from "./use-live.js";

/** Every queue: what waits, what has a place, what holds it up; pause it, and change its limits. */
export function QueuesPage(): ReactNode {
  const reading = useRead("queues", (signal) => operator.queues.list({ signal }));
  useLive(reading.reload);
  return (
    <Page
      title="Queues"
      actions={
        <a className="btn" href={hrefOf("runs", "status:queued")}>
          Queued runs
        </a>
      }
    >
      <Read reading={reading}>
        {(queues) =>
          queues.length === 0 ? (
            <div className="panel">
              <Empty>
                No living process names a queue. Name one in <code>createRuntime({"{ queues }"})</code>.
              </Empty>
            </div>
          ) : (
            <div className="stack">
              {queues.map((queue) => (
                <QueueCard key={queue.name} queue={queue} onChanged={reading.reload} />
              ))}
            </div>
          )
        }
      </Read>
    </Page>
  );
}

function QueueCard({ queue, onChanged }: { readonly queue: QueueState; readonly onChanged: () => void }): ReactNode {
  const { name, paused, waiting, placed, limits, configured, changedAtMs, changedBy, workers } = queue;
  const { may } = useStudioConfig();
  const { isSending, error, send } = useSend();
  const [isEditing, setEditing] = useState(false);
  const change = (how: "pause" | "resume" | "reset", said: string): void =>
    send(async () => {
      await operator.queues[how](name);
      announce(`${name} ${said}`);
      onChanged();
    });
  const isLimited = configured !== null && limitText(limits) !== limitText(configured);
  const aside = (
    <>
      {paused && <span className="st badge s-waiting">Paused</span>}
      <span className="grow" />
      {may.operate && (
        <>
          {isLimited && (
            <Button
              kind="ghost"
              isSmall
              disabled={isSending}
              onClick={() => change("reset", "has its configured limits")}
            >
              Reset limits
            </Button>
          )}
          <Button isSmall disabled={isSending} onClick={() => setEditing(true)}>
            Change limits
          </Button>
          <Button
            isSmall
            icon={paused ? "play" : "pause"}
            disabled={isSending}
            onClick={() => (paused ? change("resume", "resumed") : change("pause", "paused"))}
          >
            {paused ? "Resume" : "Pause"}
          </Button>
        </>
      )}
    </>
  );
  return (
    <Card title={name} aside={aside} className="desk">
      <div className="facts">
        <Fact label="Waiting">
          <span className="num">{grouped(waiting)}</span>
        </Fact>
        <Fact label="Oldest">
          <Since atMs={queue.oldestAtMs} />
        </Fact>
        <Fact label="Places">
          <span className="num">
            {grouped(placed)}
            {limits.concurrency !== null && ` of ${grouped(limits.concurrency)}`}
          </span>
        </Fact>
        <Fact label="Limits">
          {limitText(limits)}
          {isLimited && <span className="muted"> (configured: {limitText(configured)})</span>}
        </Fact>
        <Fact label="Last 5 min">
          <span className="num">{grouped(queue.taken)}</span> started
        </Fact>
        <Fact label="Workers">
          {workers === 0 ? <span className="s-failed">none: nobody takes its runs</span> : workers}
        </Fact>
        {changedAtMs !== null && (
          <Fact label="Changed">
            <Changed atMs={changedAtMs} by={changedBy} />
          </Fact>
        )}
      </div>
      {error !== null && <ErrorBox error={error} />}
      <Keys queue={queue} />
      {isEditing && <LimitDialog queue={queue} onClose={() => setEditing(false)} onChanged={onChanged} />}
    </Card>
  );
}

const SHOWN = 10;

function Keys({ queue: { name, keys } }: { readonly queue: QueueState }): ReactNode {
  const [showsAll, setAll] = useState(false);
  if (keys.every(({ key }) => key === "")) return null;
  return (
    <>
      <table className="list still" aria-label={`Keys of ${name}`}>
        <thead>
          <tr>
            <th>Key</th>
            <th className="right">Waiting</th>
            <th className="right">Oldest</th>
            <th className="right">Places</th>
          </tr>
        </thead>
        <tbody>
          {keys.slice(0, showsAll ? keys.length : SHOWN).map(({ key, waiting, placed, oldestAtMs }) => (
            <tr key={key}>
              <td className="main">
                <span className="cut mono" title={key}>
                  {key === "" ? <span className="muted">no key</span> : key}
                </span>
              </td>
              <td className="right num">{grouped(waiting)}</td>
              <td className="right num ink2 started">
                <Since atMs={oldestAtMs} />
              </td>
              <td className="right num">{grouped(placed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!showsAll && keys.length > SHOWN && (
        <div className="tablefoot">
          <Button kind="ghost" isSmall onClick={() => setAll(true)}>
            {keys.length - SHOWN} more keys
          </Button>
        </div>
      )}
    </>
  );
}

function Since({ atMs }: { readonly atMs: number | null }): ReactNode {
  const nowMs = useNow();
  return atMs === null ? "–" : duration(Math.max(0, nowMs - atMs));
}
