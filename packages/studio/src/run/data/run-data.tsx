/** The input of a run, and its result once it has one, each in a line that opens. */
import type { HistoryEntry, RunSummary } from "@millrace/client";
import { type ReactNode, useId, useMemo, useState } from "react";
import { client } from "../../api/client.js";
import { useRead } from "../../api/use-read.js";
import { type Datum, resultOf, startOf } from "../../model/run-data.js";
import type { RunStore } from "../../model/run-store.js";
import { short } from "../../ui/format.js";
import { JsonTree } from "../../ui/json-tree.js";
import { DatumSection } from "./datum-section.js";

/** What the run was started with; of a fork, what its origin was. `null` while it is read, and where it is no longer kept. */
export function useRunInput(run: RunStore, { handlerId, forkedFrom }: RunSummary): Datum | null {
  const [entry] = run.entries;
  const own = useMemo(() => (entry === undefined ? null : startOf(entry)), [entry]);
  const isFork = own === null && forkedFrom !== null;
  const { value } = useRead(isFork ? `start of ${handlerId}` : null, (signal) => readStart(handlerId, signal));
  return own ?? value;
}

async function readStart(runId: string, signal: AbortSignal): Promise<Datum | null> {
  for await (const entry of client.history(runId, { before: 2, signal })) {
    const origin = originOf(entry);
    const start = origin === null ? startOf(entry) : await readStart(origin, signal);
    if (start !== null) return start;
  }
  return null;
}

function originOf({ tick }: HistoryEntry): string | null {
  if (tick.type !== "run.forked") return null;
  const { run_id: runId } = tick["from"] as { readonly run_id?: unknown };
  return typeof runId === "string" ? runId : null;
}

/** Letters of a line. */
const LONGEST = 400;

export interface RunDataProps {
  readonly input: Datum | null;
  readonly handler: RunSummary;
}

export function RunData({ input, handler }: RunDataProps): ReactNode {
  const [open, setOpen] = useState<string | null>(null);
  const id = useId();
  // Values may be large, and a run at work is drawn four times a second.
  const data = useMemo(() => {
    const result = handler.status === "completed" ? { type: null, ...resultOf(handler.result) } : null;
    return Object.entries({ Input: input && { ...input, whole: null }, Result: result }).flatMap(([title, datum]) => {
      if (datum === null) return [];
      const line = typeof datum.value === "string" ? datum.value.slice(0, LONGEST) : short(datum.value, LONGEST);
      return [{ title, datum, line }];
    });
  }, [input, handler]);
  if (data.length === 0) return null;
  const shown = data.find(({ title }) => title === open);
  return (
    <div className="rundata">
      <div className="lines">
        {data.map(({ title, line }) => (
          <button
            key={title}
            type="button"
            aria-expanded={title === open}
            aria-controls={id}
            onClick={() => setOpen(title === open ? null : title)}
          >
            <b>{title}</b>
            <bdi className="mono cut">{line}</bdi>
          </button>
        ))}
      </div>
      <div id={id}>
        {shown !== undefined && <DatumSection title={shown.title} datum={shown.datum} />}
        {shown !== undefined && shown.datum.whole !== null && (
          <details className="whole">
            <summary>Everything that the pipeline returned</summary>
            <JsonTree value={shown.datum.whole} empty="Empty." />
          </details>
        )}
      </div>
    </div>
  );
}
