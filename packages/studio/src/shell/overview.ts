/** What the navigation shows of the whole server: how many runs there are, and who waits for a person. Renewed as runs change. */
import { useEffect, useRef } from "react";
import { client } from "../api/client.js";
import { onRunChanges } from "../api/run-changes.js";
import { promptsOf } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";

export interface Overview {
  readonly runs: number | null;
  readonly workflows: number | null;
  readonly hasSessions: boolean;
  /** Number of runs with an open question, at most 50, and the ids of the first. */
  readonly asks: number;
  readonly asking: readonly string[];
}

const SHOWN = 8;
const MOST = 50;
/** Runs may change a hundred times a second; the numbers need not. */
const EVERY_MS = 1_000;

export function useOverview(): Overview {
  const counts = useRead("counts", (signal) => client.counts({ signal }));
  const workflows = useRead("workflows", (signal) => client.workflowDetails({ signal }));
  const waiting = useRead("waiting", (signal) => client.runs({ waiting: true, limit: MOST, signal }));
  useChanges(() => {
    counts.reload();
    waiting.reload();
  });
  const asking = waiting.value?.runs.filter((run) => promptsOf(run).length > 0) ?? [];
  return {
    runs: counts.value?.total ?? null,
    workflows: workflows.value?.length ?? null,
    hasSessions: (workflows.value ?? []).some(({ kind }) => kind === "pipeline"),
    asks: asking.length,
    asking: asking.slice(0, SHOWN).map((run) => run.handlerId),
  };
}

/** Calls `onChange` when any run has changed, and when the server is back; at most once a second. */
export function useChanges(onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    let timer = 0;
    const soon = (): void => {
      if (timer !== 0) return;
      timer = window.setTimeout(() => {
        timer = 0;
        latest.current();
      }, EVERY_MS);
    };
    const stop = onRunChanges({ onChanged: soon, onGone: soon, onMissed: soon });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, []);
}
