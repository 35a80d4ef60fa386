import { type ReactNode, useEffect, useState } from "react";
import { connection } from "../api/connection.js";
import { useStore } from "../store.js";
import { clock } from "../ui/format.js";

/** A request may fail once: only a server that stays away is reported. */
const PATIENCE_MS = 2_000;

/** Says on every page that the server is away, and since when what is shown may be old. */
export function ConnectionBanner(): ReactNode {
  const isLost = useStore(connection) === "reconnecting";
  const [sinceMs, setSinceMs] = useState<number | null>(null);
  useEffect(() => {
    if (!isLost) return setSinceMs(null);
    const lostAtMs = Date.now();
    const timer = window.setTimeout(() => setSinceMs(lostAtMs), PATIENCE_MS);
    return () => window.clearTimeout(timer);
  }, [isLost]);
  return (
    <div role="status" className="connbanner" hidden={sinceMs === null}>
      {sinceMs !== null && (
        <>
          The server has not answered since {clock(sinceMs)}. What you see may be old. <b>Reconnecting…</b>
        </>
      )}
    </div>
  );
}
