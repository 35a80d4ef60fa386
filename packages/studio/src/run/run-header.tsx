/** Who the run is, and what may be done to it. */

import type { ChildRun, RunSummary } from "@millrace/client";
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { readEvents } from "../api/read-events.js";
import { isOpen } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";
import { bulkWorkflow, UndoButton } from "../bulk/bulk-jobs.js";
import { now } from "../clock.js";
import type { ChildPlace } from "../model/child-place.js";
import { forkRefusal } from "../model/fork-plan.js";
import type { RunStore } from "../model/run-store.js";
import { QueuePlace } from "../operate/queue-place.js";
import { RunBudget } from "../operate/run-budget.js";
import { hrefOf } from "../route.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { Button } from "../ui/controls.js";
import { clock, dateAndTime, duration, plural } from "../ui/format.js";
import { Slash } from "../ui/page.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { FilterLink } from "./filter-link.js";
import type { DialogName } from "./run-dialogs.js";
import type { RunActions } from "./use-run-actions.js";
import type { RunTime } from "./use-run-time.js";

export interface RunHeaderProps {
  readonly handler: RunSummary;
  readonly run: RunStore;
  readonly actions: RunActions;
  readonly time: RunTime;
  readonly rootId: string;
  /** Of a child, which nothing is done to but through the whole run. */
  readonly place: ChildPlace | null;
  readonly onChildren: (runIds: readonly string[]) => void;
  /** Whether its input is known. */
  readonly canRunAgain: boolean;
  readonly onOpen: (dialog: DialogName) => void;
}

export function RunHeader(props: RunHeaderProps): ReactNode {
  const { handler, rootId, place } = props;
  return (
    <div>
      <div className="runhead">
        <a className="crumb hide-sm" href={hrefOf("runs")}>
          Runs
        </a>
        <Slash className="hide-sm" />
        {place !== null && <Above rootId={rootId} above={place.above} />}
        <h1 className="cut" title={handler.handlerId}>
          {handler.handlerId}
        </h1>
        <StatusBadge status={statusOf(handler)} />
        <span className="grow" />
        {place === null && (
          <div className="runactions">
            <Actions {...props} />
          </div>
        )}
      </div>
      <Facts {...props} />
    </div>
  );
}

/** The way to a child: the run, and the children that it is in. */
function Above({ rootId, above }: { readonly rootId: string; readonly above: readonly ChildRun[] }): ReactNode {
  return (
    <>
      <a className="crumb cut" href={hrefOf("run", rootId)}>
        {rootId}
      </a>
      <Slash />
      {above.map(({ runId, workflow }) => (
        <Fragment key={runId}>
          <a className="crumb cut hide-sm" href={hrefOf("child", rootId, runId)} title={runId}>
            {workflow}
          </a>
          <Slash className="hide-sm" />
        </Fragment>
      ))}
    </>
  );
}

function Actions({ handler, run, actions: { isBusy, act }, canRunAgain, onOpen }: RunHeaderProps): ReactNode {
  const { may, tests } = useStudioConfig();
  const refusal = forkRefusal(run.moments.get(run.tick));
  const isRunning = isOpen(handler);
  const canCancel = isRunning && may.cancel;
  const canSend = useTakesEvents(isRunning && may.send ? handler.workflow : null);
  const isCancelJob = handler.workflow === bulkWorkflow && handler.labels["action"] === "cancel";
  const isAgain = canRunAgain && may.start && !isRunning;
  const canCopy = (canRunAgain && may.start) || (tests && !isRunning && handler.forkedFrom == null);
  return (
    <>
      {canCancel && (
        <Button kind="ghost" className="hide-sm" disabled={isBusy} onClick={() => act("cancel")}>
          Cancel run
        </Button>
      )}
      {canSend && (
        <Button className="hide-sm" onClick={() => onOpen("send")}>
          Send event
        </Button>
      )}
      {handler.status === "failed" && may.retry && (
        <Button icon="retry" disabled={isBusy} onClick={() => act("retry")}>
          Retry
        </Button>
      )}
      {isCancelJob && may.resume && !isRunning && <UndoButton jobId={handler.handlerId} />}
      {handler.status === "cancelled" && may.resume && (
        <Button icon="play" disabled={isBusy} onClick={() => act("resume")}>
          Resume
        </Button>
      )}
      <Button icon="compare" className="hide-sm" onClick={() => onOpen("compare")}>
        Compare
      </Button>
      {canCopy && (
        <Button className="hide-sm" onClick={() => onOpen("copy")}>
          Copy as…
        </Button>
      )}
      {may.fork && run.last > 0 && (
        <Button
          {...(isAgain ? { className: "hide-sm" } : { kind: "primary" })}
          icon="fork"
          disabled={refusal !== null}
          title={refusal ?? undefined}
          onClick={() => onOpen("fork")}
        >
          <span>
            Fork
            <span className="hide-sm">
              {" "}
              from tick <span className="num">{run.tick}</span>
            </span>
          </span>
        </Button>
      )}
      {isAgain && (
        <Button kind="primary" icon="play" onClick={() => onOpen("again")}>
          Run again
        </Button>
      )}
      <MoreMenu>
        {isAgain && may.fork && refusal === null && (
          <button type="button" role="menuitem" onClick={() => onOpen("fork")}>
            Fork from tick {run.tick}
          </button>
        )}
        {canCancel && (
          <button type="button" role="menuitem" disabled={isBusy} onClick={() => act("cancel")}>
            Cancel run
          </button>
        )}
        {canSend && (
          <button type="button" role="menuitem" onClick={() => onOpen("send")}>
            Send event
          </button>
        )}
        <button type="button" role="menuitem" onClick={() => onOpen("compare")}>
          Compare
        </button>
        {canCopy && (
          <button type="button" role="menuitem" onClick={() => onOpen("copy")}>
            Copy as…
          </button>
        )}
      </MoreMenu>
    </>
  );
}

/** Whether a step takes an event from outside. @param workflow `null`: none may be sent, whatever its events are. */
function useTakesEvents(workflow: string | null): boolean {
  const key = workflow === null ? null : `events ${workflow}`;
  const { value } = useRead(key, (signal) => readEvents(workflow ?? "", signal));
  return (
    value?.some(
      ({ type, isSendable, role }) =>
        // Those of a pipeline answer and cancel it, for which there are forms and a button.
        isSendable && !type.startsWith("pipeline.") && (role === "external" || role === "human_response"),
    ) ?? false
  );
}

/** What does not fit on a phone. */
function MoreMenu({ children }: { readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const close = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, [isOpen]);
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    event.stopPropagation(); // the page has keys of its own
    const items = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]:enabled") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: (at + 1) % items.length, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items.at(next)?.focus();
    }
    if (event.key !== "Escape" && event.key !== "Tab") return;
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the menu in it
    <div className="more" ref={box} onKeyDown={onKey}>
      <Button
        icon="more"
        aria-label="More"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: its buttons have their own keys
        <div className="menu" role="menu" id={id} tabIndex={-1} onClick={() => setOpen(false)}>
          {children}
        </div>
      )}
    </div>
  );
}

function Facts({ handler, run, rootId, place, onChildren, time }: RunHeaderProps): ReactNode {
  const { budgets } = useStudioConfig();
  const { startedAtMs, forkedFrom: origin, version, queue } = handler;
  const attempts = run.attempts.list.filter(({ step, runId }) => !run.facts.naming(step, runId).isInner);
  // Without one of its own, a run of a pipeline makes one under its id.
  const ofLabel = run.facts.isPipeline === true ? handler.labels["session"] : undefined;
  const sessionId = sessionOf(run.entries[0]?.tick["event"]) ?? ofLabel ?? null;
  const labels = besides(handler.labels, sessionId);
  const failed = attempts.filter(({ status }) => status === "failed" || status === "retrying").length;
  const isRunning = isOpen(handler);
  const wakeAtMs = handler.status === "waiting" ? handler.wakeAtMs : null;
  return (
    <div className="facts">
      <span>
        <b>Workflow</b>
        {place === null ? <a href={hrefOf("workflow", handler.workflow)}>{handler.workflow}</a> : handler.workflow}
      </span>
      <span className="num" title={dateAndTime(startedAtMs)}>
        <b>Started</b>
        {clock(startedAtMs)}
      </span>
      <span className="num">
        <b>Took</b>
        {duration(time.toMs - time.fromMs)}
        {isRunning && " so far"}
      </span>
      <span className="num hide-sm">
        <b>Attempts</b>
        {attempts.length}
        {failed > 0 && <span className="s-failed"> ({failed} failed)</span>}
      </span>
      {version !== null && (
        <span className="row hide-sm">
          <b>Version</b>
          <FilterLink of={`version ${version}`} add={() => ({ version })}>
            {version}
          </FilterLink>
        </span>
      )}
      {origin != null && (
        <span>
          <b>Fork of</b>
          <a className="mono" href={hrefOf("run", origin.handlerId, origin.at)}>
            {origin.handlerId} @ {origin.at}
          </a>
        </span>
      )}
      {sessionId !== null && (
        <span>
          <b>Session</b>
          <a className="mono" href={hrefOf("session", sessionId)}>
            {sessionId}
          </a>
        </span>
      )}
      {wakeAtMs !== null && (
        <span className="num hide-sm" title={dateAndTime(wakeAtMs)}>
          <b>Wakes</b>
          {wakeAtMs - now() < 86_400_000 ? clock(wakeAtMs) : dateAndTime(wakeAtMs)}
        </span>
      )}
      {queue !== null && (
        <span className={handler.status === "queued" ? "" : "hide-sm"}>
          <b>Queue</b>
          {queue.name}
          {handler.status === "queued" && <QueuePlace runId={handler.handlerId} />}
        </span>
      )}
      {budgets && <RunBudget runId={rootId} isOpen={isRunning} />}
      {place !== null && (
        <span>
          <b>Started by</b>
          {place.child.step} <span className="muted num">#{place.child.item}</span>
        </span>
      )}
      <Children run={run} onChildren={onChildren} />
      {Object.keys(labels).length > 0 && (
        <span className="row wrap hide-sm">
          {Object.entries(labels).map(([name, value]) => (
            <FilterLink
              key={name}
              of={`${name}=${value}`}
              add={(before) => ({ labels: { ...before.labels, [name]: value } })}
            >
              {name}={value}
            </FilterLink>
          ))}
        </span>
      )}
    </div>
  );
}

function Children({ run, onChildren }: Pick<RunHeaderProps, "run" | "onChildren">): ReactNode {
  const children = [...new Set(run.attempts.list.map(({ runId }) => runId))].filter((id) => id !== run.runId);
  if (children.length === 0) return null;
  return (
    <span className="num">
      <b>Children</b>
      <button type="button" className="link" onClick={() => onChildren(children)}>
        {plural(children.length, "run")}
      </button>
    </span>
  );
}

/** Without those that say the session and its user again. */
function besides(labels: RunSummary["labels"], sessionId: string | null): RunSummary["labels"] {
  if (sessionId === null) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== "session" && name !== "user"));
}

/** The session of a pipeline is in what it was started with. */
function sessionOf(start: unknown): string | null {
  const request = (start as { data?: { request?: { sessionId?: unknown } } } | undefined)?.data?.request;
  return typeof request?.sessionId === "string" && request.sessionId !== "" ? request.sessionId : null;
}
