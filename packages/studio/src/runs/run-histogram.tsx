/** The runs of a list over time, by status. A part of the time that is chosen becomes `after:` and `before:` of the filter. */
import type { Histogram, HistogramFilter } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { type RunFilter, selectionOf } from "../model/run-filter.js";
import { useChanges } from "../shell/overview.js";
import { TimeBars, timeWords } from "../statistics/time-bars.js";
import { Button } from "../ui/controls.js";

export interface RunHistogramProps {
  readonly filter: RunFilter;
  readonly onTime: (time: Pick<RunFilter, "after" | "before">) => void;
}

const shown = [
  ["failed", "failed"],
  ["cancelled", "cancelled"],
  ["waiting", "waiting"],
  ["running", "running"],
  ["completed", "completed"],
] as const;

/** Of a search there is none: the server would have to read every run. */
export function RunHistogram({ filter, onTime }: RunHistogramProps): ReactNode {
  const isCounted = filter.search.trim() === "";
  const { value, error, reload } = useRead(isCounted ? `histogram ${JSON.stringify(filter)}` : null, (signal) => {
    const { search: _, ...selection } = selectionOf(filter, Date.now());
    return readHistogram({ ...selection, signal });
  });
  useChanges(reload);
  if (isCounted && value === null && error === null) return <Place />;
  if (value === null || value.bars.length === 0) return null;
  const { fromMs, toMs } = value;
  const bars = value.bars.map(({ atMs, counts }) => ({
    atMs,
    parts: shown.map(([tone, status]) => [tone, counts[status] + (status === "waiting" ? counts.queued : 0)] as const),
  }));
  const isNarrowed = filter.after !== "" || filter.before !== "";
  return (
    <div className="runbars">
      <TimeBars
        {...value}
        bars={bars}
        noun="run"
        onChoose={(after, before) => onTime({ after: timeTerm(after), before: timeTerm(before) })}
      />
      <div className="runaxis muted num">
        <span>{timeWords(fromMs)}</span>
        <span className="grow" />
        {isNarrowed && (
          <Button isSmall kind="ghost" onClick={() => onTime({ after: "", before: "" })}>
            All times
          </Button>
        )}
        <span className="grow" />
        <span>{timeWords(toMs)}</span>
      </div>
    </div>
  );
}

/** Until it is read: the list below stays where it is. */
function Place(): ReactNode {
  return (
    <div className="runbars" aria-hidden="true">
      <div className="timebars" />
      <div className="runaxis" />
    </div>
  );
}

/** Without a time in the filter, from the first run of the last seven days on. */
async function readHistogram(filter: HistogramFilter): Promise<Histogram> {
  const all = await client.histogram(filter);
  const [first] = all.bars;
  const isLate = first !== undefined && first.atMs - all.fromMs > (all.toMs - all.fromMs) / 2;
  if (filter.createdAfter !== undefined || !isLate) return all;
  return client.histogram({ ...filter, createdAfter: first.atMs - 1 });
}

/** As the query has it: `2026-11-20T14:00:00Z`. */
function timeTerm(atMs: number): string {
  return new Date(atMs).toISOString().replace(".000Z", "Z");
}
