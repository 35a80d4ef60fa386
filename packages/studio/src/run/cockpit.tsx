/** Four views of one run, and one cursor: graph, timeline, log and state show the same tick. */

import type { ClientError, RunSummary } from "@millrace/client";
import { type CSSProperties, type ReactNode, useRef, useState } from "react";
import { isUnreachable } from "../api/client.js";
import { isOpen, promptsOf } from "../api/run-facts.js";
import { CodeButton } from "../graph/code-dialog.js";
import type { WorkflowGraphData } from "../graph/graph-data.types.js";
import { WorkflowGraph } from "../graph/workflow-graph.js";
import type { ChildPlace } from "../model/child-place.js";
import { forkRefusal } from "../model/fork-plan.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { useStore } from "../store.js";
import { ErrorBox, Loading } from "../ui/states.js";
import { ChildrenDialog } from "./children-dialog.js";
import { CompareDialog } from "./compare-dialog.js";
import { FailureNotice } from "./failure-notice.js";
import { ForkDialog } from "./fork-dialog.js";
import { LogView } from "./log-view.js";
import { PromptPanel } from "./prompt-panel.js";
import type { RunFeed } from "./run-feed.js";
import { RunHeader } from "./run-header.js";
import { SendDialog } from "./send-dialog.js";
import { StateView } from "./state-view.js";
import { TimelineView } from "./timeline-view.js";
import { Transport } from "./transport.js";
import { type PaneName, useCursorKeys } from "./use-cursor-keys.js";
import { useDeeds } from "./use-deeds.js";
import { usePlay } from "./use-play.js";
import { type RunViews, useRunViews } from "./use-run-views.js";

export interface CockpitProps {
  readonly feed: RunFeed;
  readonly handler: RunSummary;
  /** `null` while it is read, or of a workflow that the server does not have. */
  readonly graph: WorkflowGraphData | null;
  readonly error: ClientError | null;
  /** Of a child; `null` for a whole run. */
  readonly place: ChildPlace | null;
}

type DialogName = "fork" | "send" | "compare";

export function Cockpit({ feed, handler, graph, error, place }: CockpitProps): ReactNode {
  const { run } = feed;
  useStore(run.version);
  const { may } = useStudioConfig();
  const { rootId } = feed;
  const { tick } = run;
  const [step, setStep] = useState<string | null>(null);
  const [tab, setTab] = useState<PaneName>("graph");
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const [children, setChildren] = useState<readonly string[] | null>(null);
  const play = usePlay(run);
  const deeds = useDeeds(feed);
  const views = useRunViews(run, handler, { graph, step });
  const panes = usePanes(setTab);
  const open = (name: DialogName): void => {
    if (name === "fork") {
      play.stop();
      run.hold();
    }
    setDialog(name);
  };
  const close = (): void => {
    run.release();
    setDialog(null);
  };
  const onGo = (number: number): void => {
    play.stop();
    run.goTo(number);
  };
  useCursorKeys({
    run,
    onGo,
    onPlay: play.toggle,
    onPane: panes.focus,
    onFork: may.fork && place === null && forkRefusal(run.moments.get(tick)) === null ? () => open("fork") : null,
    onAnswer: panes.focusAnswer,
    onSearch: () => panes.search.current?.focus(),
    onEscape: () => {
      setStep(null);
      return step !== null;
    },
    rows: panes.rows,
    log: panes.log,
  });
  const isRunning = isOpen(handler);
  const shownError = deeds.failure ?? (error !== null && isUnreachable(error) ? null : error);
  const { fromMs, atMs } = views.time;
  return (
    <div className="run" ref={panes.page}>
      <RunHeader {...{ handler, run, deeds, rootId, place }} time={views.time} onOpen={open} onChildren={setChildren} />
      <div>
        {handler.status === "failed" && <FailureNotice run={run} handler={handler} onGo={onGo} />}
        {shownError !== null && <ErrorBox error={shownError} />}
      </div>
      <Tabs tab={tab} onChange={setTab} />
      <div
        className={`cock ${promptsOf(handler).length > 0 ? "asks" : ""}`}
        data-tab={tab}
        style={{ "--th": `${timelineHeight(views.lanes)}px` } as CSSProperties}
      >
        <Columns {...{ feed, handler, graph, place, views, panes, step, setStep, onGo }} onChildren={setChildren} />
      </div>
      <Transport
        {...{ run, tick, isRunning, atMs, fromMs, onGo }}
        isLive={handler.status === "running"}
        isPlaying={play.isPlaying}
        onPlay={play.toggle}
      />
      {children !== null && <ChildrenDialog rootId={rootId} runIds={children} onClose={() => setChildren(null)} />}
      <Dialogs name={dialog} feed={feed} handler={handler} onClose={close} />
    </div>
  );
}

interface ColumnsProps extends Pick<CockpitProps, "feed" | "handler" | "graph" | "place"> {
  readonly views: RunViews;
  readonly panes: ReturnType<typeof usePanes>;
  readonly step: string | null;
  readonly setStep: (step: string | null) => void;
  readonly onGo: (tick: number) => void;
  readonly onChildren: (runIds: readonly string[]) => void;
}

function Columns({
  feed,
  handler,
  graph,
  place,
  views,
  panes,
  step,
  setStep,
  onGo,
  onChildren,
}: ColumnsProps): ReactNode {
  const { run, rootId } = feed;
  const { may } = useStudioConfig();
  const { tick } = run;
  const { fromMs, atMs } = views.time;
  return (
    <>
      <div className="leftcol">
        <span />
        <section className="pane p-graph" aria-label="Graph">
          {step !== null && place === null && <CodeButton workflow={handler.workflow} step={step} />}
          {graph === null ? (
            <Loading rows={3} />
          ) : (
            <WorkflowGraph
              graph={graph}
              overlay={views.overlay}
              selected={step}
              reveal={views.busy}
              onSelect={(name) => setStep(step === name ? null : name)}
            />
          )}
        </section>
        <TimelineView
          {...views}
          {...{ rootId, atMs, onGo }}
          onFold={views.setFolds}
          onChildren={onChildren}
          selected={step}
          onSelect={setStep}
        />
      </div>
      <div className="rightcol">
        <PromptPanel runId={rootId} prompts={promptsOf(handler)} mayAnswer={may.answer} onAnswered={feed.refresh} />
        <LogView {...{ run, tick, fromMs, step, onGo }} many={views.many} onSelect={setStep} {...panes.ofLog} />
        <StateView {...{ run, rootId, tick, onGo }} boxRef={panes.tree} />
      </div>
    </>
  );
}

/** What the keys lead to. */
function usePanes(setTab: (pane: PaneName) => void) {
  const page = useRef<HTMLDivElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const rows = useRef<readonly number[]>([]);
  const find = (selector: string) => page.current?.querySelector<HTMLElement>(selector) ?? null;
  const focus = (pane: PaneName): void => {
    setTab(pane);
    const element = {
      graph: () => find(".p-graph button"),
      time: () => find("#time"),
      log: () => log.current,
      state: () => tree.current,
    }[pane]();
    element?.focus();
  };
  const focusAnswer = (): boolean => {
    const field = find("#ask input, #ask textarea, #ask select, #ask button");
    if (field !== null) setTab("graph");
    field?.focus();
    return field !== null;
  };
  const ofLog = { boxRef: log, searchRef: search, rowsRef: rows };
  return { page, log, tree, search, rows, focus, focusAnswer, ofLog };
}

const tabs: readonly (readonly [PaneName, string])[] = [
  ["graph", "Graph"],
  ["time", "Timeline"],
  ["log", "Log"],
  ["state", "State"],
];

function Tabs({ tab, onChange }: { readonly tab: PaneName; readonly onChange: (tab: PaneName) => void }): ReactNode {
  return (
    <div className="tabs">
      <div className="seg" role="tablist" aria-label="Views">
        {tabs.map(([name, label]) => (
          <button key={name} type="button" role="tab" aria-selected={tab === name} onClick={() => onChange(name)}>
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}

interface DialogsProps {
  readonly name: DialogName | null;
  readonly feed: RunFeed;
  readonly handler: RunSummary;
  readonly onClose: () => void;
}

function Dialogs({ name, feed, handler, onClose }: DialogsProps): ReactNode {
  const { run } = feed;
  if (name === "fork") {
    const moment = run.moments.get(run.tick) ?? null;
    return (
      <ForkDialog runId={run.runId} tick={run.tick} moment={moment} attempts={run.attempts.list} onClose={onClose} />
    );
  }
  if (name === "send") {
    return <SendDialog runId={run.runId} workflow={handler.workflow} onClose={onClose} onSent={feed.refresh} />;
  }
  return name === "compare" ? <CompareDialog handler={handler} onClose={onClose} /> : null;
}

/** What all lanes take, so that the graph gets the rest. */
function timelineHeight(lanes: readonly { readonly rows: number }[]): number {
  return lanes.reduce((sum, { rows }) => sum + rows * 15 + 14, 0) + 24 + 14 + 44;
}
