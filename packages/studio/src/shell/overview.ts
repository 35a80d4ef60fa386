/** What the navigation shows of the whole server: how many runs there are, and who waits for a person. Renewed as runs change. */
import { useEffect, useRef } from "react";
import type { HandlerCounts, HandlerPage, WorkflowList } from "../api/contract.types.js";
import { onRunChanges } from "../api/run-changes.js";
import { useGet } from "../api/use-read.js";

export interface Overview {
  readonly runs: number | null;
  readonly workflows: number | null;
  readonly hasSessions: boolean;
  /** Ids of runs with an open question. */
  readonly asking: readonly string[];
}

const SHOWN = 8;
/** Runs may change a hundred times a second; the numbers need not. */
const EVERY_MS = 1_000;

export function useOverview(): Overview {
  const counts = useGet<HandlerCounts>("/handlers/counts");
  const list = useGet<WorkflowList>("/workflows");
  const waiting = useGet<HandlerPage>("/handlers", { status: "waiting", limit: 50 });
  useChanges(() => {
    counts.reload();
    waiting.reload();
  });
  const details = list.value?.details ?? [];
  const asking = waiting.value?.handlers.filter(({ prompts }) => prompts.length > 0) ?? [];
  return {
    runs: counts.value?.total ?? null,
    workflows: list.value?.workflows.length ?? null,
    hasSessions: details.some(({ kind }) => kind === "pipeline"),
    asking: asking.slice(0, SHOWN).map((run) => run.handler_id),
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
