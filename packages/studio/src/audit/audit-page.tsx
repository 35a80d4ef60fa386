import type { AuditAction, AuditEntry, AuditFilter, AuditPage as Entries } from "@millrace/client";
import { type ReactNode, useRef, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { Ago } from "../ui/time.js";

const PAGE = 100;

/** Who did what to runs, queues and schedules, the newest first: also to runs that are deleted since. */
export function AuditPage(): ReactNode {
  const [search, setSearch] = useState("");
  const wanted = useRef(PAGE);
  const user = search.trim();
  const reading = useRead(user, (signal) => readEntries(user === "" ? {} : { user }, wanted.current, signal));
  useChanges(reading.reload);
  const show = (name: string): void => {
    wanted.current = PAGE;
    setSearch(name);
  };
  return (
    <Page title="Audit">
      <div className="tools">
        <div className="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="User"
            aria-label="Entries of one user"
            value={search}
            onChange={(event) => show(event.target.value)}
          />
        </div>
      </div>
      <div className="panel">
        <Read reading={reading}>
          {({ entries, cursor }) => (
            <>
              {entries.length === 0 ? (
                <Empty>
                  {user === ""
                    ? "No entry yet: a start or an answer through a door makes one."
                    : `No entry of “${user}”.`}
                </Empty>
              ) : (
                <EntryTable entries={entries} onUser={show} />
              )}
              {cursor !== null && (
                <div className="tablefoot">
                  <span className="grow" />
                  <Button
                    isSmall
                    onClick={() => {
                      wanted.current = entries.length + PAGE;
                      reading.reload();
                    }}
                  >
                    Load more
                  </Button>
                </div>
              )}
            </>
          )}
        </Read>
      </div>
    </Page>
  );
}

/** Reads page after page until there are as many as wanted: a page of a search may be short, or empty. */
async function readEntries(filter: AuditFilter, wanted: number, signal: AbortSignal): Promise<Entries> {
  const entries: AuditEntry[] = [];
  let cursor: string | null = null;
  do {
    const page: Entries = await client.audit({ ...filter, limit: PAGE, signal, ...(cursor !== null && { cursor }) });
    entries.push(...page.entries);
    cursor = page.cursor;
  } while (cursor !== null && entries.length < wanted);
  return { entries, cursor };
}

interface EntryTableProps {
  readonly entries: readonly AuditEntry[];
  readonly onUser: (user: string) => void;
}

function EntryTable({ entries, onUser }: EntryTableProps): ReactNode {
  return (
    <table className="list">
      <thead>
        <tr>
          <th>User</th>
          <th>Did</th>
          <th>What</th>
          <th className="hide-sm">Workflow</th>
          <th className="hide-sm">Through</th>
          <th className="right">When</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ atMs, action, handlerId, workflow, by, promptId, queue, schedule }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and none of them changes
          <tr key={`${atMs} ${index}`}>
            <td>
              {by.user === undefined ? (
                <span className="muted nowrap">not known</span>
              ) : (
                <Button kind="ghost" isSmall title={`Entries of ${by.user}`} onClick={() => onUser(by.user ?? "")}>
                  <span className="cut name">{by.user}</span>
                </Button>
              )}
            </td>
            <td title={promptId}>{words[action]}</td>
            <td className="main">
              {handlerId === "" ? (
                <a className="id cut" href={hrefOf(queue === undefined ? "schedules" : "queues")}>
                  {queue ?? schedule}
                </a>
              ) : (
                <a className="id cut" href={hrefOf("run", handlerId)} title={handlerId}>
                  {handlerId}
                </a>
              )}
            </td>
            <td className="ink2 hide-sm">
              <span className="cut name" title={workflow}>
                {workflow}
              </span>
            </td>
            <td className="ink2 hide-sm">{by.door}</td>
            <td className="right ink2 num started">
              <Ago atMs={atMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const words: Readonly<Record<AuditAction, string>> = {
  start: "started",
  fork: "forked",
  answer: "answered",
  send: "sent an event",
  cancel: "cancelled",
  resume: "resumed",
  retry: "retried",
  delete: "deleted",
  "queue.pause": "paused a queue",
  "queue.resume": "resumed a queue",
  "queue.limit": "limited a queue",
  "queue.reset": "reset a queue",
  "schedule.set": "set a schedule",
  "schedule.pause": "paused a schedule",
  "schedule.resume": "resumed a schedule",
  "schedule.edit": "edited a schedule",
  "schedule.reset": "reset a schedule",
  "schedule.start": "started a schedule",
  "schedule.delete": "deleted a schedule",
};
