import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";

const commands: readonly (readonly [command: string, what: string])[] = [
  ["npm create millrace my-flows", "makes a project with one workflow and one test"],
  ["cd my-flows && npx millrace dev", "starts its server and this page, and reloads on a change"],
  [`npx millrace run src/workflows/greeting.ts --input '{}'`, "runs it once, in the terminal"],
];

/** Of the workflows of a server. */
const MOST = 6;

/** Shown while there is no run at all: the workflows that can be started, or how to begin where there is none. */
export function FirstStart({ mayStart }: { readonly mayStart: boolean }): ReactNode {
  const workflows = useRead("workflows", (signal) => client.workflowDetails({ signal })).value;
  return (
    <Page title="Runs">
      <section className="panel firststart" aria-labelledby="h-first">
        <h2 id="h-first">No run yet</h2>
        <p className="ink2">Runs appear here by themselves as soon as one begins.</p>
        {mayStart && workflows !== null && (workflows.length === 0 ? <Commands /> : <Workflows all={workflows} />)}
      </section>
    </Page>
  );
}

function Commands(): ReactNode {
  return (
    <>
      <p className="ink2">This server has no workflow. A project of your own:</p>
      <dl>
        {commands.map(([command, what]) => (
          <div key={command}>
            <dt>
              <Icon name="next" />
              <code>{command}</code>
            </dt>
            <dd className="muted">{what}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface WorkflowsProps {
  readonly all: readonly { readonly name: string }[];
}

function Workflows({ all }: WorkflowsProps): ReactNode {
  return (
    <>
      <p className="ink2">Start one of this server:</p>
      <ul className="row wrap">
        {all.slice(0, MOST).map(({ name }) => (
          <li key={name}>
            <a className="btn" href={hrefOf("workflow", name)}>
              <Icon name="play" />
              {name}
            </a>
          </li>
        ))}
        {all.length > MOST && (
          <li>
            <a href={hrefOf("workflows")}>All {all.length} workflows</a>
          </li>
        )}
      </ul>
    </>
  );
}
