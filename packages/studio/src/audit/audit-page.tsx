import type { AuditAction, AuditEntry } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { hrefOf } from "../route.js";
import { type ListPart, type PartOptions, SearchedPage } from "../shell/searched-page.js";
import { Button } from "../ui/controls.js";
import { Ago } from "../ui/time.js";

/** Who did what to runs, queues and schedules, the newest first: also to runs that are deleted since. */
export function AuditPage(): ReactNode {
  return (
    <SearchedPage title="Audit" placeholder="User" label="Entries of one user" read={readEntries} empty={emptyText}>
      {(entries, onUser) => <EntryTable entries={entries} onUser={onUser} />}
    </SearchedPage>
  );
}

async function readEntries(user: string, options: PartOptions): Promise<ListPart<AuditEntry>> {
  const { entries, cursor } = await client.audit({ ...(user !== "" && { user }), ...options });
  return { items: entries, cursor };
}

function emptyText(user: string): string {
  return user === "" ? "No entry yet: a start or an answer through a door makes one." : `No entry of “${user}”.`;
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
