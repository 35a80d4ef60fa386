import type { Session, SessionPage } from "@millrace/client";
import { type ReactNode, useRef, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { go, hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { Ago } from "../ui/time.js";

const PAGE = 100;

/** Sessions of pipelines, then of agents: what several runs have in common. */
export function SessionsPage(): ReactNode {
  const [search, setSearch] = useState("");
  const wanted = useRef(PAGE);
  const begin = search.trim();
  const reading = useRead(begin, (signal) => readSessions(begin, wanted.current, signal));
  useChanges(reading.reload);
  return (
    <Page title="Sessions">
      <div className="tools">
        <div className="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Id or user"
            aria-label="Search sessions"
            value={search}
            onChange={(event) => {
              wanted.current = PAGE;
              setSearch(event.target.value);
            }}
          />
        </div>
      </div>
      <div className="panel">
        <Read reading={reading}>
          {({ sessions, cursor }) => (
            <>
              {sessions.length === 0 ? (
                <Empty>
                  {search === "" ? "No session yet: a run of a pipeline begins one." : "No session matches."}
                </Empty>
              ) : (
                <SessionTable sessions={sessions} />
              )}
              {cursor !== null && (
                <div className="tablefoot">
                  <span className="grow" />
                  <Button
                    isSmall
                    onClick={() => {
                      wanted.current = sessions.length + PAGE;
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

/** Reads page after page until there are as many as wanted. A page may be short: pages of pipelines and of agents are not mixed. */
async function readSessions(begin: string, wanted: number, signal: AbortSignal): Promise<SessionPage> {
  const sessions: Session[] = [];
  let cursor: string | null = null;
  do {
    const from = { ...(begin !== "" && { prefix: begin }), ...(cursor !== null && { cursor }) };
    const page: SessionPage = await client.sessions({ ...from, limit: PAGE, signal });
    sessions.push(...page.sessions);
    cursor = page.cursor;
  } while (cursor !== null && sessions.length < wanted);
  return { sessions, cursor };
}

function SessionTable({ sessions }: { readonly sessions: readonly Session[] }): ReactNode {
  return (
    <table className="list">
      <thead>
        <tr>
          <th>Session</th>
          <th>User</th>
          <th className="right">Runs</th>
          <th className="right">Changed</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map(({ sessionId: id, userId: user, runs, updatedAtMs }) => (
          <tr key={id} onClick={() => go(hrefOf("session", id))}>
            <td className="main">
              <a className="id cut" href={hrefOf("session", id)} title={id}>
                {id}
              </a>
            </td>
            <td className="ink2">
              <span className="cut name" title={user ?? ""}>
                {user ?? ""}
              </span>
            </td>
            <td className="right num">{runs}</td>
            <td className="right ink2 num started">
              <Ago atMs={updatedAtMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
