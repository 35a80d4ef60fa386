import type { ReactNode } from "react";
import type { FailureData } from "../../model/run-data.js";
import { CopyButton } from "../../ui/value-view.js";

export interface FailureSectionProps {
  readonly failure: FailureData;
  readonly code: string | null;
}

/** Why the last attempt failed. */
export function FailureSection({ failure: { name, message, stack }, code }: FailureSectionProps): ReactNode {
  return (
    <section className="datum" aria-label="Error">
      <div className="row">
        <h3 className="s-failed">Error</h3>
        {code !== null && <code className="ev cut">{code}</code>}
        <span className="grow" />
        <CopyButton value={stack ?? `${name}: ${message}`} what="error" />
      </div>
      <p className="text mono s-failed">
        <bdi>
          {name}: {message}
        </bdi>
      </p>
      {stack !== null && <pre className="text mono">{stack}</pre>}
    </section>
  );
}
