import type { ReactNode } from "react";
import { operator } from "../api/operator.js";
import { useRead } from "../api/use-read.js";
import { duration, grouped } from "../ui/format.js";
import { useLive } from "./use-live.js";

/** `12th in line of 40, about 2 min`, for a run that is queued. */
export function QueuePlace({ runId }: { readonly runId: string }): ReactNode {
  const { value, reload } = useRead(`place ${runId}`, (signal) => operator.queues.position(runId, { signal }));
  useLive(reload);
  if (value === null) return " · waits for its turn";
  const { position, waiting, paused, estimateMs } = value;
  const about = estimateMs === null ? "" : `, about ${duration(rounded(estimateMs))}`;
  return (
    <span className="num" title={estimateMs === null ? undefined : "At the pace of the last five minutes"}>
      {` · ${grouped(position)}${ending(position)} in line of ${grouped(waiting)}${paused ? ", paused" : about}`}
    </span>
  );
}

/** To five seconds: it is a guess. */
function rounded(ms: number): number {
  return Math.max(5_000, Math.round(ms / 5_000) * 5_000);
}

function ending(count: number): string {
  const isTeen = count % 100 > 10 && count % 100 < 14;
  return (!isTeen && ["th", "st", "nd", "rd"][count % 10]) || "th";
}
