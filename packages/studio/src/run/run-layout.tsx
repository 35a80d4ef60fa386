/** Four views of one run, and one cursor: graph, timeline, log and state show the same tick. */

import type { ClientError, RunSummary } from "@millrace/client";
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from "react";
import { isUnreachable } from "../api/client.js";
import { isOpen, promptsOf } from "../api/run-facts.js";
import type { WorkflowGraphData } from "../graph/graph-data.js";
import { WorkflowGraph } from "../graph/workflow-graph.js";
import type { ChildPlace } from "../model/child-place.js";
import { forkRefusal } from "../model/fork-plan.js";
import { openInAddress, parseRoute, replaceAddress, withOpen } from "../route.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { useStore } from "../store.js";
import { type Pane, Splitter, usePaneSize } from "../ui/splitter.js";
import { ErrorBox, Loading } from "../ui/states.js";
import { ChildrenDialog } from "./children-dialog.js";
import { RunData, useRunInput } from "./data/run-data.js";
import { FailureNotice } from "./failure-notice.js";
import { LogView } from "./log-view.js";
import { Transport } from "./playback.js";
import { PromptPanel } from "./prompt-panel.js";
import { type DialogName, RunDialogs } from "./run-dialogs.js";
import type { RunFeed } from "./run-feed.js";
import { RunHeader } from "./run-header.js";
import { StateView } from "./state-view.js";
import { TimelineView } from "./timeline-view.js";
import { type PaneName, useCursorKeys } from "./use-cursor-keys.js";
import { usePlay } from "./use-play.js";
import { useRunActions } from "./use-run-actions.js";
import { type RunViews, useRunViews } from "./use-run-views.js";
import { type Selection, useSelection } from "./use-selection.js";

export interface RunLayoutProps {
  readonly feed: RunFeed;
  readonly handler: RunSummary;
  /** `null` while it is read, or of a workflow that the server does not have. */
  readonly graph: WorkflowGraphData | null;
  readonly error: ClientError | null;
  /** Of a child; `null` for a whole run. */
  readonly place: ChildPlace | null;
}

export function RunLayout({ feed, handler, graph, error, place }: RunLayoutProps): ReactNode {
  const { run } = feed;
  useStore(run.version);
  const { may } = useStudioConfig();
  const { rootId } = feed;
  const { tick } = run;
  const [tab, setTab] = useState<PaneName>(tabInAddress);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const [forkItem, setForkItem] = useState<number | null>(null);
  const [children, setChildren] = useState<readonly string[] | null>(null);
  const play = usePlay(run);
  const panes = usePanes(setTab);
  const side = usePaneSize("side");
  const timeline = usePaneSize("timeline");
  const selection = useSelection(run, { onMove: play.stop, onData: panes.showData });
  const { step, shown, onGo } = selection;
  useEffect(() => {
    const open = { step, shown: shown === "all" ? null : shown, tab: tab === "graph" ? null : tab };
    if (isOfRun(parseRoute(location.hash).page)) replaceAddress(withOpen(location.hash, open));
  }, [step, shown, tab]);
  const actions = useRunActions(feed);
  const views = useRunViews(run, handler, { graph, step });
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
    setForkItem(null);
  };
  const runFrom = (item: number, at: number): void => {
    run.goTo(at);
    setForkItem(item);
    open("fork");
  };
  const input = useRunInput(run, handler);
  useCursorKeys({
    run,
    onGo,
    onPlay: play.toggle,
    onPane: panes.focus,
    onFork:
      may.fork && run.last > 0 && place === null && forkRefusal(run.moments.get(tick)) === null
        ? () => open("fork")
        : null,
    onAnswer: panes.focusAnswer,
    onSearch: () => panes.search.current?.focus(),
    onEscape: () => {
      selection.onClear();
      return step !== null;
    },
    rows: panes.rows,
    log: panes.log,
  });
  const isRunning = isOpen(handler);
  const shownError = actions.failure ?? (error !== null && isUnreachable(error) ? null : error);
  const { fromMs, atMs } = views.time;
  return (
    <div className="run" ref={panes.page}>
      <RunHeader
        {...{ handler, run, actions, rootId, place }}
        canRunAgain={input !== null}
        time={views.time}
        onOpen={open}
        onChildren={setChildren}
      />
      <div>
        {handler.status === "failed" && <FailureNotice run={run} handler={handler} onOpen={selection.onOpen} />}
        {shownError !== null && <ErrorBox error={shownError} />}
        <RunData input={input} handler={handler} />
      </div>
      <Tabs tab={tab} onChange={setTab} />
      <div
        className={`cock ${promptsOf(handler).length > 0 ? "asks" : ""}`}
        data-tab={tab}
        style={
          {
            "--th": `${timeline.size ?? timelineHeight(views.lanes)}px`,
            "--tmax": timeline.size === null ? "58%" : "80%",
            ...(side.size !== null && { "--rw": `${side.size}px` }),
          } as CSSProperties
        }
      >
        <Columns
          {...{ feed, handler, graph, views, panes, selection, side, timeline }}
          onChildren={setChildren}
          onRunFrom={may.fork && place === null ? runFrom : null}
        />
      </div>
      <Transport
        {...{ run, tick, isRunning, atMs, fromMs, onGo }}
        isLive={handler.status === "running"}
        isPlaying={play.isPlaying}
        onPlay={play.toggle}
      />
      {children !== null && <ChildrenDialog rootId={rootId} runIds={children} onClose={() => setChildren(null)} />}
      <RunDialogs name={dialog} {...{ feed, handler, input, forkItem }} onClose={close} />
    </div>
  );
}

/** The next page may have been asked for, and not be drawn yet. */
const isOfRun = (page: string): boolean => page === "run" || page === "child";

/** The pane that is seen where there is room for one only. */
function tabInAddress(): PaneName {
  const asked = openInAddress().get("tab");
  return tabs.find(([name]) => name === asked)?.[0] ?? "graph";
}

interface ColumnsProps extends Pick<RunLayoutProps, "feed" | "handler" | "graph"> {
  readonly views: RunViews;
  readonly panes: ReturnType<typeof usePanes>;
  readonly selection: Selection;
  readonly side: Pane;
  readonly timeline: Pane;
  readonly onChildren: (runIds: readonly string[]) => void;
  /** Opens a fork from the tick where an item began; `null` where none may be made. */
  readonly onRunFrom: ((item: number, tick: number) => void) | null;
}

function Columns(props: ColumnsProps): ReactNode {
  const { feed, handler, graph, views, panes, selection, side, timeline, onChildren, onRunFrom } = props;
  const { run, rootId } = feed;
  const { may } = useStudioConfig();
  const { tick } = run;
  const { fromMs, atMs } = views.time;
  const { step, onGo, onOpen, onSelect } = selection;
  return (
    <>
      <div className="leftcol">
        <span />
        <section className="pane p-graph" aria-label="Graph">
          {graph === null ? (
            <Loading rows={3} />
          ) : (
            <WorkflowGraph
              graph={graph}
              overlay={views.overlay}
              selected={step}
              reveal={views.busy}
              onSelect={(name) => onSelect(step === name ? null : name)}
              onEvent={selection.onEvent}
            />
          )}
        </section>
        <Splitter label="Height of the timeline" orientation="horizontal" pane={timeline} least={80} />
        <TimelineView
          {...views}
          {...{ rootId, atMs, onGo, onSelect, onChildren }}
          onFold={views.setFolds}
          selected={step}
        />
      </div>
      <Splitter label="Width of the log" orientation="vertical" pane={side} least={280} />
      <div className="rightcol">
        <PromptPanel runId={rootId} prompts={promptsOf(handler)} mayAnswer={may.answer} onAnswered={feed.refresh} />
        <LogView
          {...{ run, tick, fromMs, step }}
          many={views.many}
          onClear={selection.onClear}
          onGo={onOpen}
          {...panes.ofLog}
        />
        <StateView {...{ run, rootId, tick, selection, onRunFrom }} workflow={handler.workflow} />
      </div>
    </>
  );
}

/** What the keys lead to. */
function usePanes(setTab: (pane: PaneName) => void) {
  const page = useRef<HTMLDivElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const rows = useRef<readonly number[]>([]);
  const find = (selector: string) => page.current?.querySelector<HTMLElement>(selector) ?? null;
  const focus = (pane: PaneName): void => {
    setTab(pane);
    const element = {
      graph: () => find(".p-graph .node.step"),
      time: () => find("#time"),
      log: () => log.current,
      state: () => find(".p-state .scroll"),
    }[pane]();
    element?.focus();
  };
  const focusAnswer = (): boolean => {
    const field = find("#ask input, #ask textarea, #ask select, #ask button");
    if (field !== null) setTab("graph");
    field?.focus();
    return field !== null;
  };
  // Below a long question the data is out of sight, and so is it in a tab that is only now drawn.
  const showData = (): void => {
    setTab("state");
    requestAnimationFrame(() => find(".p-state")?.scrollIntoView({ block: "nearest" }));
  };
  const ofLog = { boxRef: log, searchRef: search, rowsRef: rows };
  return { page, log, search, rows, focus, focusAnswer, showData, ofLog };
}

const tabs: readonly (readonly [PaneName, string])[] = [
  ["graph", "Graph"],
  ["time", "Timeline"],
  ["log", "Log"],
  ["state", "Data"],
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

/** What all lanes take, so that the graph gets the rest. */
function timelineHeight(lanes: readonly { readonly rows: number }[]): number {
  return lanes.reduce((sum, { rows }) => sum + rows * 15 + 14, 0) + 24 + 14 + 44;
}
