import type { ReactNode } from "react";
import { hrefOf } from "../route.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";

const commands: readonly (readonly [command: string, what: string])[] = [
  ["npm create millrace my-flows", "makes a project with one workflow and one test"],
  ["cd my-flows && npx millrace dev", "starts its server and this page, and reloads on a change"],
  [`npx millrace run src/workflows/greeting.ts --input '{}'`, "runs it once, in the terminal"],
];

/** Shown while there is no run at all. */
export function FirstStart({ mayStart }: { readonly mayStart: boolean }): ReactNode {
  return (
    <Page title="Runs">
      <section className="panel firststart" aria-labelledby="h-first">
        <h2 id="h-first">No run yet</h2>
        <p className="ink2">
          Runs appear here by themselves as soon as one begins.
          {mayStart && (
            <>
              {" "}
              <a href={hrefOf("workflows")}>Run a workflow</a> of this server, or start with a project of your own:
            </>
          )}
        </p>
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
      </section>
    </Page>
  );
}
