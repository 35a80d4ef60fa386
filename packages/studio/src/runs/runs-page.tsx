import type { RunCounts, RunSummary } from "@millrace/client";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import type { Selection } from "../bulk/bulk-action.js";
import { BulkJobs } from "../bulk/bulk-jobs.js";
import { SelectionBar } from "../bulk/selection-bar.js";
import { isOfFailure, isOfInput, noFilter, type RunFilter, runFilter, type StatusFilter } from "../model/run-filter.js";
import { queryOf, readQuery } from "../model/run-query.js";
import { go, hrefOf, replaceAddress } from "../route.js";
import { useChanges } from "../shell/overview.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { useStore } from "../store.js";
import { Button, type Choice, Segmented } from "../ui/controls.js";
import { grouped } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Empty, ErrorBox, Loading } from "../ui/states.js";
import { useKeys } from "../ui/use-keys.js";
import { FirstStart } from "./first-start.js";
import { RunHistogram } from "./run-histogram.js";
import { RunList, type RunListView } from "./run-list.js";
import { RunTable } from "./run-table.js";
import { forgetPlace, placeInHistory, useScrollPlace, wasSeen } from "./scroll-place.js";

/** As many as a job takes by their ids. */
const MOST_PICKED = 1_000;
const SEARCH_MS = 200;

/** All runs: search, filter, choose some to compare or to act on. */
export function RunsPage({ query }: { readonly query: string }): ReactNode {
  const filter = useQueryInAddress(query);
  const { may } = useStudioConfig();
  const list = useMemo(() => new RunList(filter, () => scrollY > 200, placeInHistory()?.count), [filter]);
  useEffect(() => list.start(), [list]);
  const view = useStore(list.view);
  useScrollPlace(view.runs.length, view.isLoading);
  const counts = useCounts(filter);
  const [active, move] = useActiveRun(view.runs);
  const [selection, setSelection] = useState<Selection>([]);
  const picked = selection === "all" ? view.runs.map(({ handlerId }) => handlerId) : selection;
  const search = useRef<HTMLInputElement>(null);
  // What is typed counts before it is searched for.
  const typed = useRef<RunFilter | null>(null);
  const change: ChangeFilter = (of) => {
    const before = typed.current ?? runFilter.get();
    runFilter.set({ ...before, ...of(before) });
  };
  const pick = (id: string): void =>
    setSelection(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id].slice(-MOST_PICKED));
  const pickAll = (isPicked: boolean): void =>
    setSelection(isPicked ? view.runs.map(({ handlerId }) => handlerId).slice(0, MOST_PICKED) : []);
  // What was chosen in another list is not chosen in this one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the filter alone
  useEffect(() => setSelection([]), [filter]);
  useKeys(({ key }) => {
    const run = view.runs[active];
    if (key === "j" || key === "ArrowDown") move(1);
    else if (key === "k" || key === "ArrowUp") move(-1);
    else if (key === "x" && run) pick(run.handlerId);
    else if (key === "Enter" && run) go(hrefOf("run", run.handlerId));
    else if (key === "/") search.current?.focus();
    else return false;
    return true;
  });
  const isFiltered = queryOf(filter) !== "";
  const isEmpty = view.runs.length === 0 && !view.isLoading && view.error === null;
  if (isEmpty && !isFiltered) return <FirstStart mayStart={may.start} />;
  const start = may.start && (
    <a className="btn primary" href={hrefOf("workflows")}>
      <Icon name="play" />
      Run a workflow
    </a>
  );
  return (
    <Page title="Runs" width="wide" actions={start}>
      <BulkJobs />
      <Tools {...{ filter, counts, change }} searchRef={search} typedRef={typed} />
      <RunHistogram filter={filter} onTime={(time) => change(() => time)} />
      {view.held > 0 && (
        <Button
          className="held"
          isSmall
          icon="up"
          onClick={() => {
            list.release();
            scrollTo(0, 0);
          }}
        >
          {view.held} new
        </Button>
      )}
      <div className="panel">
        {view.runs.length > 0 && (
          <RunTable
            runs={view.runs}
            active={active}
            picked={picked}
            onPick={pick}
            onPickAll={pickAll}
            onFilter={change}
            onNearEnd={() => view.hasMore && !view.isLoading && list.more()}
          />
        )}
        {view.runs.length === 0 && <NoRuns view={view} onRetry={() => list.reload()} />}
        <div className="tablefoot">
          <span className="num">{footOf(view.runs.length, totalOf(filter, counts))}</span>
          <span className="grow" />
          {isFiltered && view.runs.length > 0 && selection !== "all" && (
            <Button isSmall onClick={() => setSelection("all")}>
              Select all that match
            </Button>
          )}
          {view.hasMore && (
            <Button isSmall disabled={view.isLoading} onClick={() => list.more()}>
              Load more
            </Button>
          )}
        </div>
      </div>
      <SelectionBar {...{ selection, filter }} total={totalOf(filter, counts)} onSelect={setSelection} />
    </Page>
  );
}

/**
 * Index of the run that the keyboard is at, and how to move it. New runs that come above it, and those that leave the list, do not
 * change which run it is.
 */
function useActiveRun(runs: readonly RunSummary[]): readonly [index: number, move: (by: 1 | -1) => void] {
  const [active, setActive] = useState<{ readonly id: string; readonly index: number } | null>(null);
  const found = active === null ? -1 : runs.findIndex(({ handlerId }) => handlerId === active.id);
  const move = (by: 1 | -1): void => {
    // Where the run has left the list, its neighbours are the next ones.
    const from = found >= 0 ? found : (active?.index ?? 0) - Math.max(0, by);
    const index = Math.max(0, Math.min(runs.length - 1, from + by));
    const run = runs[index];
    if (run !== undefined) setActive({ id: run.handlerId, index });
  };
  return [found, move];
}

/** The filter of the address, so that it survives a reload and Back. Without one there, that of the last visit stays, but for a list that was
 * there before. */
function useQueryInAddress(query: string): RunFilter {
  const filter = useStore(runFilter);
  useLayoutEffect(() => {
    const { filter: asked, problem } = readQuery(query, Date.now());
    const isAsked = (query !== "" || wasSeen()) && problem === null;
    if (isAsked && queryOf(asked) !== queryOf(runFilter.get())) runFilter.set(asked);
  }, [query]);
  const shown = useRef(filter);
  useEffect(() => {
    if (filter !== runFilter.get()) return; // that of the address is taken first
    const line = queryOf(filter);
    replaceAddress(line === "" ? hrefOf("runs") : hrefOf("runs", line));
    if (queryOf(shown.current) !== line) forgetPlace();
    shown.current = filter;
  }, [filter]);
  return filter;
}

function NoRuns({ view, onRetry }: { readonly view: RunListView; readonly onRetry: () => void }): ReactNode {
  if (view.error !== null) return <ErrorBox error={view.error} onRetry={onRetry} />;
  if (view.isLoading) return <Loading rows={10} />;
  return (
    <Empty>
      No run matches.{" "}
      <Button isSmall onClick={() => runFilter.set(noFilter)}>
        Clear filters
      </Button>
    </Empty>
  );
}

function footOf(shown: number, total: number | undefined): string {
  return total === undefined || total < shown
    ? `${grouped(shown)}, newest first`
    : `${grouped(shown)} of ${grouped(total)}, newest first`;
}

function totalOf({ status }: RunFilter, counts: RunCounts | null): number | undefined {
  return status === "all" ? counts?.total : counts?.status[status];
}

/** Counts of the chosen workflow and labels. Of other conditions there are none: the server would have to read every run. */
function useCounts(filter: RunFilter): RunCounts | null {
  const { workflow, version, labels, after, before, search } = filter;
  const isCounted = `${version}${after}${before}${search.trim()}` === "" && !isOfInput(filter) && !isOfFailure(filter);
  const hasLabels = Object.keys(labels).length > 0;
  const { value, reload } = useRead(isCounted ? `counts ${workflow} ${JSON.stringify(labels)}` : null, (signal) =>
    client.counts({ ...(workflow !== "" && { workflow }), ...(hasLabels && { labels }), signal }),
  );
  useChanges(reload);
  return value;
}

const statuses: readonly (readonly [StatusFilter, string])[] = [
  ["all", "All"],
  ["running", "Running"],
  ["waiting", "Waiting"],
  ["queued", "Queued"],
  ["failed", "Failed"],
  ["completed", "Completed"],
  ["cancelled", "Cancelled"],
];

type ChangeFilter = (of: (before: RunFilter) => Partial<RunFilter>) => void;

interface ToolsProps {
  readonly filter: RunFilter;
  readonly counts: RunCounts | null;
  readonly searchRef: React.RefObject<HTMLInputElement | null>;
  /** Set to the filter that is typed; `null` where it is wrong. */
  readonly typedRef: React.RefObject<RunFilter | null>;
  readonly change: ChangeFilter;
}

function Tools({ filter, counts, searchRef, typedRef, change }: ToolsProps): ReactNode {
  const workflows = useRead("workflow names", (signal) => client.workflows({ signal }));
  const line = queryOf(filter);
  const [text, setText] = useState(line);
  const { filter: typed, problem } = readQuery(text, Date.now());
  const typedLine = problem === null ? queryOf(typed) : null;
  typedRef.current = problem === null ? typed : null;
  const apply = (): void => {
    if (typedLine !== null && typedLine !== queryOf(runFilter.get())) runFilter.set(typed);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the text, which is all that is typed
  useEffect(() => {
    const timer = window.setTimeout(apply, SEARCH_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  // What is typed is written as it is; other changes of the filter are written into it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the filter alone
  useEffect(() => {
    if (typedLine !== line) setText(line);
  }, [line]);
  const choices = statuses.map(([value, label]): Choice<StatusFilter> => {
    return { value, label, count: totalOf({ ...filter, status: value }, counts) };
  });
  return (
    <div className="tools">
      <div className="search line">
        <Icon name="search" />
        <input
          ref={searchRef}
          type="search"
          placeholder="Id or error, status:failed label.team=berlin input.order=A-7 after:2h"
          aria-invalid={problem !== null}
          title={problem ?? undefined}
          aria-label="Search runs"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {problem !== null && (
          <span className="err" role="status">
            {problem}
          </span>
        )}
      </div>
      <select
        aria-label="Workflow"
        value={filter.workflow}
        onChange={(event) => change(() => ({ workflow: event.target.value }))}
      >
        <option value="">All workflows</option>
        {workflows.value?.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <Segmented
        label="Status"
        choices={choices}
        value={filter.status}
        onChange={(status) => change(() => ({ status }))}
      />
    </div>
  );
}
