import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { ExactText } from "../ui/exact-text.js";
import { Ago } from "../ui/time.js";

const SHOWN = 20;

/** Who has answered lately, and through which door, as the audit has it. @param round Rises with each answer of this page. */
export function Answered({ round }: { readonly round: number }): ReactNode {
  const { audit } = useStudioConfig();
  const { value } = useRead(audit ? `answered ${round}` : null, (signal) =>
    client.audit({ action: "answer", limit: SHOWN, signal }),
  );
  if (value === null || value.entries.length === 0) return null;
  return (
    <details className="panel answered">
      <summary>Answered lately</summary>
      <ul className="problems">
        {value.entries.map(({ atMs, handlerId, workflow, by, promptId }) => (
          <li key={`${handlerId} ${promptId} ${atMs}`}>
            <b>
              <ExactText text={by.user ?? "somebody"} />
            </b>
            <span className="muted">through {by.door}</span>
            <a className="mono cut" href={hrefOf("run", handlerId)}>
              {handlerId}
            </a>
            <span className="cut muted">{workflow}</span>
            <span className="grow" />
            <Ago atMs={atMs} />
          </li>
        ))}
      </ul>
    </details>
  );
}
