/** The input of a run, and its result once it has one, each in a line that opens. */
import type { HistoryEntry, RunSummary } from "@millrace/client";
import { type ReactNode, useId, useState } from "react";
import { client } from "../../api/client.js";
import { jsonOf } from "../../api/plain-json.js";
import { useRead } from "../../api/use-read.js";
import { type Datum, startOf } from "../../model/run-data.js";
import type { RunStore } from "../../model/run-store.js";
import { short } from "../../ui/format.js";
import { DatumSection } from "./datum-section.js";

/** What the run was started with; of a fork, what its origin was. `null` while it is read, and where it is no longer kept. */
export function useRunInput(run: RunStore, { handlerId, forkedFrom }: RunSummary): Datum | null {
  const [entry] = run.entries;
  const own = entry === undefined ? null : startOf(entry);
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

export interface RunDataProps {
  readonly input: Datum | null;
  readonly handler: RunSummary;
}

export function RunData({ input, handler }: RunDataProps): ReactNode {
  const [open, setOpen] = useState<string | null>(null);
  const id = useId();
  const result: Datum | null = handler.status === "completed" ? { type: null, value: jsonOf(handler.result) } : null;
  const data = Object.entries({ Input: input, Result: result }).filter(isThere);
  if (data.length === 0) return null;
  const shown = data.find(([title]) => title === open);
  return (
    <div className="rundata">
      <div className="lines">
        {data.map(([title, { value }]) => (
          <button
            key={title}
            type="button"
            aria-expanded={title === open}
            aria-controls={id}
            onClick={() => setOpen(title === open ? null : title)}
          >
            <b>{title}</b>
            <bdi className="mono cut">{typeof value === "string" ? value : short(value, 400)}</bdi>
          </button>
        ))}
      </div>
      <div id={id}>{shown !== undefined && <DatumSection title={shown[0]} datum={shown[1]} />}</div>
    </div>
  );
}

function isThere(pair: readonly [string, Datum | null]): pair is [string, Datum] {
  return pair[1] !== null;
}
