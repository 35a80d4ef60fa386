import { type ReactNode, useState } from "react";
import type { Session, SessionPage } from "../api/contract.types.js";
import { useGet } from "../api/use-read.js";
import { go, hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { Ago } from "../ui/time.js";

const PAGE = 100;

/** Sessions of pipelines: what several runs have in common. */
export function SessionsPage(): ReactNode {
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(PAGE);
  const reading = useGet<SessionPage>("/sessions", { q: search.trim(), limit });
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
            onChange={(event) => setSearch(event.target.value)}
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
              {cursor !== null && limit < 1_000 && (
                <div className="tablefoot">
                  <span className="grow" />
                  <Button isSmall onClick={() => setLimit(limit + PAGE)}>
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
        {sessions.map(({ session_id: id, user_id: user, runs, updated_at: at }) => (
          <tr key={id} onClick={() => go(hrefOf("session", id))}>
            <td className="main">
              <a className="id cut" href={hrefOf("session", id)} title={id}>
                {id}
              </a>
            </td>
            <td className="ink2">{user ?? ""}</td>
            <td className="right num">{runs}</td>
            <td className="right ink2 num started">
              <Ago at={at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
