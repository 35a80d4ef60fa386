import type { Schedule } from "@millrace/client";
import { Fragment, type ReactNode, useState } from "react";
import { client } from "../api/client.js";
import type { Json } from "../api/json.types.js";
import { operator } from "../api/operator.js";
import { useRead } from "../api/use-read.js";
import { useSend } from "../api/use-send.js";
import { go, hrefOf } from "../route.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { dateAndTime, duration } from "../ui/format.js";
import { JsonTree } from "../ui/json-tree.js";
import { Page } from "../ui/page.js";
import { Empty, ErrorBox, Read } from "../ui/states.js";
import { Ago } from "../ui/time.js";
import { useNow } from "../ui/use-now.js";
import { EditDialog } from "./edit-dialog.js";
import { Changed } from "./facts.js";
import { ScheduleCalendar } from "./schedule-calendar.js";
import { whys } from "./skips.js";
import { useLive } from "./use-live.js";

const MOST = 1_000;
const NEXT = 5;

/** Every schedule: when it occurs next, its last run, what was skipped; pause, edit and start it. */
export function SchedulesPage(): ReactNode {
  const reading = useRead("schedules", (signal) => client.schedules.list({ limit: MOST, signal }));
  useLive(reading.reload);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Page title="Schedules" width="wide">
      <div className="stack">
        <div className="panel">
          <Read reading={reading}>
            {({ schedules }) =>
              schedules.length === 0 ? (
                <Empty>
                  No schedule yet: <code>runtime.schedules.set</code> creates one.
                </Empty>
              ) : (
                <table className="list still desk">
                  <thead>
                    <tr>
                      <th>Schedule</th>
                      <th className="hide-sm">Workflow</th>
                      <th className="hide-sm">When</th>
                      <th>Next</th>
                      <th className="hide-sm">Last</th>
                      <th aria-label="State" />
                    </tr>
                  </thead>
                  <tbody>
                    {schedules.map((schedule) => (
                      <Fragment key={schedule.name}>
                        <Row
                          schedule={schedule}
                          isOpen={open === schedule.name}
                          onToggle={() => setOpen(open === schedule.name ? null : schedule.name)}
                        />
                        {open === schedule.name && (
                          <tr>
                            <td colSpan={6}>
                              <Details schedule={schedule} onChanged={reading.reload} />
                            </td>
                          </tr>
                        )}
                      </Fragment>
                    ))}
                  </tbody>
                </table>
              )
            }
          </Read>
        </div>
        {reading.value !== null && reading.value.schedules.length > 0 && (
          <ScheduleCalendar schedules={reading.value.schedules} />
        )}
      </div>
    </Page>
  );
}

interface RowProps {
  readonly schedule: Schedule;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Row({ schedule, isOpen, onToggle }: RowProps): ReactNode {
  const { name, workflow, cron, timezone, nextAtMs, last, paused, edited } = schedule;
  return (
    <tr>
      <td className="main">
        <button type="button" className="link cut" aria-expanded={isOpen} title={name} onClick={onToggle}>
          {name}
        </button>
      </td>
      <td className="ink2 hide-sm">
        <span className="cut name" title={workflow}>
          {workflow}
        </span>
      </td>
      <td className="mono hide-sm started" title={timezone}>
        {cron}
      </td>
      <td className="num started">{nextAtMs === null ? <span className="muted">–</span> : <In atMs={nextAtMs} />}</td>
      <td className="num started hide-sm">
        {last === null ? (
          <span className="muted">never</span>
        ) : (
          <a className="link" href={hrefOf("run", last.handlerId)} title={last.handlerId}>
            <Ago atMs={last.atMs} />
          </a>
        )}
      </td>
      <td className="right started">
        {edited !== null && <span className="chip">Edited</span>}{" "}
        {paused && <span className="st badge s-waiting">Paused</span>}
      </td>
    </tr>
  );
}

function In({ atMs }: { readonly atMs: number }): ReactNode {
  const nowMs = useNow();
  return <time title={dateAndTime(atMs)}>{atMs <= nowMs ? "now" : `in ${duration(atMs - nowMs)}`}</time>;
}

interface DetailsProps {
  readonly schedule: Schedule;
  readonly onChanged: () => void;
}

function Details({ schedule, onChanged }: DetailsProps): ReactNode {
  const { name, cron, timezone, paused, edited, start, overlap, catchUp, skips, queue } = schedule;
  const { may } = useStudioConfig();
  const { isSending, error, send } = useSend();
  const [isEditing, setEditing] = useState(false);
  const key = `next ${name} ${cron} ${timezone} ${schedule.nextAtMs}`;
  const next = useRead(key, (signal) => client.schedules.next(name, NEXT, { signal }));
  const change = (said: string, work: () => Promise<unknown>): void =>
    send(async () => {
      await work();
      announce(`${name} ${said}`);
      onChanged();
    });
  const startNow = (): void =>
    send(async () => {
      const handlerId = await operator.schedules.start(name);
      announce(`${handlerId} started`);
      go(hrefOf("run", handlerId));
    });
  return (
    <div className="deskdetails">
      {may.operate && (
        <div className="row wrap">
          {may.start && (
            <Button isSmall kind="primary" icon="play" disabled={isSending} onClick={startNow}>
              Start now
            </Button>
          )}
          {paused ? (
            <Button isSmall disabled={isSending} onClick={() => change("resumed", () => client.schedules.resume(name))}>
              Resume
            </Button>
          ) : (
            <Button
              isSmall
              icon="pause"
              disabled={isSending}
              onClick={() => change("paused", () => client.schedules.pause(name))}
            >
              Pause
            </Button>
          )}
          {may.start && (
            <Button isSmall disabled={isSending} onClick={() => setEditing(true)}>
              Edit
            </Button>
          )}
          {edited !== null && (
            <Button
              isSmall
              kind="ghost"
              disabled={isSending}
              onClick={() => change("is as the code says", () => operator.schedules.reset(name))}
            >
              Reset edits
            </Button>
          )}
        </div>
      )}
      {error !== null && <ErrorBox error={error} />}
      <dl>
        <dt>When</dt>
        <dd>
          <span className="mono">{cron}</span> in {timezone}
          {edited?.cron !== undefined && <Was text={edited.cron} />}
          {edited?.timezone !== undefined && <Was text={edited.timezone} />}
        </dd>
        {edited !== null && (
          <>
            <dt>Edited</dt>
            <dd>
              <Changed atMs={edited.atMs} by={edited.by} />. It holds until the code says something else of it.
            </dd>
          </>
        )}
        <dt>Next {NEXT}</dt>
        <dd>
          <Read reading={next} rows={1}>
            {(dates) => (
              <ul className="num">
                {dates.map((date) => (
                  <li key={+date} className={paused ? "muted" : ""}>
                    {timeIn(timezone, +date)}
                  </li>
                ))}
              </ul>
            )}
          </Read>
        </dd>
        <dt>Skipped</dt>
        <dd>
          {skips.length === 0 ? (
            <span className="muted">none</span>
          ) : (
            <ul>
              {skips.toReversed().map(({ atMs, reason }) => (
                <li key={atMs}>
                  <span className="num">{timeIn(timezone, atMs)}</span> <span className="muted">{whys[reason]}</span>
                </li>
              ))}
            </ul>
          )}
        </dd>
        <dt>Overlap</dt>
        <dd>
          {overlap}; catch up: {catchUp}
          {queue !== null && `; queue: ${queue.name}`}
        </dd>
        <dt>Input</dt>
        <dd>
          <JsonTree value={start.value as Json} empty="No fields." />
        </dd>
      </dl>
      {isEditing && <EditDialog schedule={schedule} onClose={() => setEditing(false)} onChanged={onChanged} />}
    </div>
  );
}

/** By the clock of the schedule, which is the one that its cron means. */
function timeIn(timeZone: string, atMs: number): string {
  return new Date(atMs).toLocaleString("en-GB", { timeZone, dateStyle: "medium", timeStyle: "short" });
}

function Was({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="muted">
      {" "}
      (the code says <span className="mono">{text}</span>)
    </span>
  );
}
