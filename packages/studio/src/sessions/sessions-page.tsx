import type { Session } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { go, hrefOf } from "../route.js";
import { type ListPart, type PartOptions, SearchedPage } from "../shell/searched-page.js";
import { Ago } from "../ui/time.js";

/** Sessions of pipelines, then of agents: what several runs have in common. */
export function SessionsPage(): ReactNode {
  return (
    <SearchedPage
      title="Sessions"
      placeholder="Id or user"
      label="Search sessions"
      read={readSessions}
      empty={(search) => (search === "" ? "No session yet: a run of a pipeline begins one." : "No session matches.")}
    >
      {(sessions) => <SessionTable sessions={sessions} />}
    </SearchedPage>
  );
}

async function readSessions(prefix: string, options: PartOptions): Promise<ListPart<Session>> {
  const { sessions, cursor } = await client.sessions({ ...(prefix !== "" && { prefix }), ...options });
  return { items: sessions, cursor };
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
