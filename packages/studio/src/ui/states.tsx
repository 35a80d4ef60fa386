/** Views of empty, loading and failed states. */

import type { ClientError } from "@millrace/client";
import { type ReactNode, useEffect, useState } from "react";
import { isUnreachable } from "../api/client.js";
import type { Reading } from "../api/use-read.js";
import { Button } from "./controls.js";
import { Icon } from "./icon.js";

const PATIENCE_MS = 200;

/** Grey bars of about the final size. What comes within 200 ms shows none. */
export function Loading({ rows = 5 }: { readonly rows?: number }): ReactNode {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className="loading" role="status" aria-label="Loading">
      {isSlow && Array.from({ length: rows }, (_, row) => <i key={String(row)} />)}
    </div>
  );
}

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="empty">{children}</div>;
}

const away = {
  detail: "The server does not answer.",
  hint: "It may be restarting. The page continues by itself once the server is back.",
};

/** The error of the server, its hint, and a button to retry. */
export function ErrorBox({
  error,
  onRetry,
}: {
  readonly error: ClientError;
  readonly onRetry?: () => void;
}): ReactNode {
  const { detail, hint } = isUnreachable(error) ? away : error;
  return (
    <div className="errorbox" role="alert">
      <Icon name="failed" />
      <div className="grow">
        <p>{detail}</p>
        {hint !== "" && <p className="muted">{hint}</p>}
        <p className="muted mono">{error.code}</p>
      </div>
      {onRetry && (
        <Button isSmall onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

export interface ReadProps<Value> {
  readonly reading: Reading<Value>;
  readonly rows?: number;
  readonly children: (value: Value) => ReactNode;
}

/** The value, once it is there; what was read stays while the server is away. */
export function Read<Value>({ reading, rows, children }: ReadProps<Value>): ReactNode {
  if (reading.value !== null) return children(reading.value);
  if (reading.error !== null) return <ErrorBox error={reading.error} onRetry={reading.reload} />;
  return <Loading {...(rows !== undefined && { rows })} />;
}
