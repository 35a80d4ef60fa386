import { type ReactNode, useEffect, useState } from "react";
import { baseUrl } from "../api/client.js";
import { token } from "../api/credentials.js";
import { useStudioConfig } from "./studio-config.js";

const PAUSE_MS = 2_000;

interface CodeError {
  readonly message: string;
  readonly frame: string | null;
}

/** Says on every page that newer code cannot be loaded, so that what is shown is done by older code. Only `millrace dev` knows it. */
export function NewerCodeBanner(): ReactNode {
  const error = useCodeError(useStudioConfig().tests);
  return (
    <div role="status" className="connbanner" hidden={error === null}>
      {error !== null && (
        <>
          <b>The changed code cannot be loaded.</b> The version before it keeps running. {error.message}
          {error.frame !== null && <pre className="mono">{error.frame}</pre>}
        </>
      )}
    </div>
  );
}

/** @param isDev Only `millrace dev` makes tests of runs; a server of the project that does so too answers 404 here. */
function useCodeError(isDev: boolean): CodeError | null {
  const [error, setError] = useState<CodeError | null>(null);
  useEffect(() => {
    if (!isDev) return;
    const stop = new AbortController();
    void follow(setError, stop.signal);
    return () => stop.abort();
  }, [isDev]);
  return error;
}

async function follow(set: (error: CodeError | null) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const read = await readError(signal);
    if (signal.aborted || read === "unknown") return;
    if (read !== "away") set(read);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** `away`: there is no answer now, which another banner says. */
async function readError(signal: AbortSignal): Promise<CodeError | null | "unknown" | "away"> {
  try {
    const own = token.get();
    const headers: HeadersInit = own === null ? {} : { authorization: `Bearer ${own}` };
    const response = await fetch(new URL("dev/newer-code", baseUrl), { headers, signal });
    if (!response.ok) return "unknown";
    return ((await response.json()) as { readonly error: CodeError | null }).error;
  } catch {
    return "away";
  }
}
