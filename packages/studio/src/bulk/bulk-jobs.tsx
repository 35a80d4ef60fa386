import type { BulkAction, BulkCounts, BulkResult, RunSummary } from "@millrace/client";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { client, streams } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { useSend } from "../api/use-send.js";
import { noFilter } from "../model/run-filter.js";
import { hrefOf } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { useStore } from "../store.js";
import { Button } from "../ui/controls.js";
import { ExactText } from "../ui/exact-text.js";
import { ErrorBox } from "../ui/states.js";
import { actionWords, runsText } from "./bulk-action.js";
import { BulkDialog } from "./bulk-dialog.js";
import { shownJobs } from "./shown-jobs.js";

export const bulkWorkflow = "millrace.bulk";

/** Jobs that are under way, whoever has started them, and those of this page that have ended. */
export function BulkJobs(): ReactNode {
  const own = useStore(shownJobs.store);
  const running = useRead("jobs", (signal) =>
    client.runs({ workflow: bulkWorkflow, status: "running", limit: 5, signal }),
  );
  useChanges(running.reload);
  const others = running.value?.runs.map(({ handlerId }) => handlerId).filter((id) => !own.includes(id)) ?? [];
  return [...own, ...others].map((id) => <BulkJob key={id} id={id} />);
}

function BulkJob({ id }: { readonly id: string }): ReactNode {
  const { counts, run, restart } = useJob(id);
  const { isSending, error, send } = useSend();
  const { may } = useStudioConfig();
  const action = run?.labels["action"] as BulkAction | undefined;
  if (run === null || action === undefined || !Object.hasOwn(actionWords, action)) return null;
  const { verb, past } = actionWords[action];
  const { matched, done, skipped, failed } = counts;
  const seen = done + skipped + failed;
  const isOver = run.status !== "running" && run.status !== "waiting";
  const all = matched ?? Math.max(seen, 100_000);
  const title = isOver ? endOf(run.status, verb) : `${verb} is under way`;
  return (
    <section className="panel job" aria-label={`${verb} of many runs`}>
      <div className="jobhead">
        <b>{title}</b>
        <span className="num">
          {seen.toLocaleString("en")} of {matched === null ? "more than " : ""}
          {runsText(all)}
        </span>
        <span className="grow" />
        {!isOver && may.cancel && (
          <Button isSmall disabled={isSending} onClick={() => send(() => client.handle(id).cancel())}>
            Stop
          </Button>
        )}
        {run.status === "cancelled" && may.resume && (
          <Button
            isSmall
            disabled={isSending}
            onClick={() =>
              send(async () => {
                await client.resume(id).accepted;
                restart();
              })
            }
          >
            Continue
          </Button>
        )}
        {isOver && action === "cancel" && done > 0 && may.resume && <UndoButton jobId={id} />}
        <a className="btn sm ghost" href={hrefOf("run", id)}>
          Details
        </a>
        {isOver && (
          <Button kind="ghost" isSmall onClick={() => shownJobs.remove(id)}>
            Dismiss
          </Button>
        )}
      </div>
      <progress value={seen} max={Math.max(1, all)} aria-label="Progress" />
      <p className="num ink2">
        {done.toLocaleString("en")} {past}, {skipped.toLocaleString("en")} skipped, {failed.toLocaleString("en")} failed
      </p>
      {run.status === "completed" && <Problems result={run.result as BulkResult} />}
      {run.status === "failed" && <ErrorBox error={run.error} />}
      {error !== null && <ErrorBox error={error} />}
    </section>
  );
}

/** Resumes what a job has cancelled. */
export function UndoButton({ jobId }: { readonly jobId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const selection = useMemo(() => ({ cancelledBy: jobId }), [jobId]);
  return (
    <>
      <Button isSmall icon="play" onClick={() => setOpen(true)}>
        Resume its runs
      </Button>
      {isOpen && <BulkDialog action="resume" {...{ selection, filter: noFilter }} onClose={close} onStarted={close} />}
    </>
  );
}

function endOf(status: RunSummary["status"], verb: string): string {
  if (status === "completed") return `${verb} has ended`;
  return status === "cancelled" ? `${verb} was stopped` : `${verb} has failed`;
}

const shownProblems = 5;

/** What was not done, with a way to it. */
function Problems({ result }: { readonly result: BulkResult }): ReactNode {
  const { problems, skipped, failed } = result;
  if (problems.length === 0) return null;
  const more = skipped + failed - Math.min(problems.length, shownProblems);
  return (
    <ul className="problems">
      {problems.slice(0, shownProblems).map(({ runId, outcome, code, message }) => (
        <li key={runId}>
          <a className="mono cut" href={hrefOf("run", runId)}>
            <ExactText text={runId} />
          </a>
          <span className={outcome === "failed" ? "err" : "muted"}>{outcome}</span>
          <span className="cut" title={`${code} ${message}`}>
            <ExactText text={message} />
          </span>
        </li>
      ))}
      {more > 0 && <li className="muted">and {more.toLocaleString("en")} more: see Details</li>}
    </ul>
  );
}

interface Job {
  readonly counts: BulkCounts;
  readonly run: RunSummary | null;
  /** It was continued. */
  readonly restart: () => void;
}

const nothing: BulkCounts = { matched: 0, done: 0, skipped: 0, failed: 0 };

function useJob(id: string): Job {
  const [counts, setCounts] = useState(nothing);
  const [run, setRun] = useState<RunSummary | null>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round follows the same job again
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const look = async (): Promise<void> => setRun(await streams.handle(id).summary({ signal }));
    const follow = async (): Promise<void> => {
      await look();
      for await (const { event } of streams.handle(id).stream({ signal }))
        if (event.type === "millrace.bulk.progress") setCounts(event as unknown as BulkCounts);
      await look();
    };
    follow().catch((error: unknown) => {
      if (!signal.aborted) console.warn(error);
    });
    return () => stop.abort();
  }, [id, round]);
  return { counts, run, restart: () => setRound(round + 1) };
}
