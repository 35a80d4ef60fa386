import type { RunSummary } from "@millrace/client";
import { type MouseEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef } from "react";
import { endedAtMsOf } from "../api/run-facts.js";
import type { RunFilter } from "../model/run-filter.js";
import { go, hrefOf } from "../route.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { Ago, Duration } from "../ui/time.js";
import { useNow } from "../ui/use-now.js";
import { lineOf } from "../ui/words.js";
import { useRowWindow } from "./use-row-window.js";

export interface RunTableProps {
  readonly runs: readonly RunSummary[];
  /** Index of the row that the keyboard is at; -1 for none. */
  readonly active: number;
  readonly picked: readonly string[];
  readonly onPick: (id: string) => void;
  /** All that are loaded, or none. */
  readonly onPickAll: (isPicked: boolean) => void;
  /** Narrows the list down further. */
  readonly onFilter: (of: (before: RunFilter) => Partial<RunFilter>) => void;
  /** Called when the last row is about to be seen. */
  readonly onNearEnd: () => void;
}

const ROW = 38;
const NEAR = 30;
const COLUMNS = 7;

/** Only the rows that are seen are there; those above and below are two empty rows of their height. */
export function RunTable({ runs, active, picked, onPick, onPickAll, onFilter, onNearEnd }: RunTableProps): ReactNode {
  const table = useRef<HTMLTableElement>(null);
  const { first, end, before, after, show } = useRowWindow({
    table,
    count: runs.length,
    estimate: ROW,
    around: 12,
  });
  useEffect(() => {
    if (runs.length > 0 && end > runs.length - NEAR) onNearEnd();
  }, [end, runs.length, onNearEnd]);
  const chosen = useMemo(() => new Set(picked), [picked]);
  const isEvery = runs.every(({ handlerId }) => chosen.has(handlerId));
  useShownRow(active < 0 ? null : (runs[active]?.handlerId ?? null), () => show(active));
  useFocusInSight(table);
  return (
    <table className="list" ref={table} aria-rowcount={runs.length + 1}>
      <thead>
        <tr>
          <th className="hide-sm pickcell">
            <input
              type="checkbox"
              aria-label="Select all that are loaded"
              checked={isEvery}
              ref={(box) => {
                if (box !== null) box.indeterminate = !isEvery && picked.length > 0;
              }}
              onChange={() => onPickAll(!isEvery)}
            />
          </th>
          <th>Status</th>
          <th>Run</th>
          <th className="hide-sm">Workflow</th>
          <th className="hide-sm">Labels</th>
          <th className="right hide-sm">Duration</th>
          <th className="right">Started</th>
        </tr>
      </thead>
      <tbody>
        <Space height={before} />
        {runs.slice(first, end).map((run, place) => (
          <RunRow
            key={run.handlerId}
            run={run}
            index={first + place}
            isActive={first + place === active}
            isPicked={chosen.has(run.handlerId)}
            onPick={onPick}
            onFilter={onFilter}
          />
        ))}
        <Space height={after} />
      </tbody>
    </table>
  );
}

/** Brings the run to which the keyboard has moved into sight, and the focus to its link once it is drawn. */
function useShownRow(runId: string | null, show: () => void): void {
  const sought = useRef<string | null>(null);
  const showRow = useRef(show);
  showRow.current = show;
  useEffect(() => {
    sought.current = runId;
    if (runId !== null) showRow.current();
  }, [runId]);
  useEffect(() => {
    if (sought.current === null) return;
    const row = document.querySelector(`tr[data-run="${CSS.escape(sought.current)}"]`);
    if (row === null) return;
    sought.current = null;
    row.querySelector<HTMLElement>("a.id")?.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  });
}

/**
 * Takes the focus from a row that was scrolled out of sight, before the row is removed. A browser that removes a focused element
 * measures the page at once, with the rows half exchanged, and moves it.
 */
function useFocusInSight(table: RefObject<HTMLTableElement | null>): void {
  useEffect(() => {
    const onScroll = (): void => {
      const focused = document.activeElement;
      if (!(focused instanceof HTMLElement) || !table.current?.tBodies[0]?.contains(focused)) return;
      const { top, bottom } = focused.getBoundingClientRect();
      if (bottom < 0 || top > innerHeight) focused.blur();
    };
    const isFirst = { passive: true, capture: true };
    addEventListener("scroll", onScroll, isFirst);
    return () => removeEventListener("scroll", onScroll, isFirst);
  }, [table]);
}

function Space({ height }: { readonly height: number }): ReactNode {
  if (height <= 0) return null;
  return (
    <tr className="space">
      <td colSpan={COLUMNS} style={{ height }} />
    </tr>
  );
}

const [SHORTEST_MS, LONGEST_MS] = [10, 86_400_000];

/** Of 64 pixels, by the order of magnitude: one run that takes a week leaves the bars of all others readable. */
function barOf(ms: number): number {
  const part = Math.log(Math.max(ms, SHORTEST_MS) / SHORTEST_MS) / Math.log(LONGEST_MS / SHORTEST_MS);
  return Math.max(2, Math.min(1, part) * 64);
}

interface RunRowProps {
  readonly run: RunSummary;
  readonly index: number;
  readonly isActive: boolean;
  readonly isPicked: boolean;
  readonly onPick: (id: string) => void;
  /** Narrows the list down further. */
  readonly onFilter: (of: (before: RunFilter) => Partial<RunFilter>) => void;
}

function RunRow({ run, index, isActive, isPicked, onPick, onFilter }: RunRowProps): ReactNode {
  const endedAtMs = endedAtMsOf(run);
  const nowMs = useNow(endedAtMs === null);
  const tookMs = (endedAtMs ?? nowMs) - run.startedAtMs;
  const status = statusOf(run);
  const href = hrefOf("run", run.handlerId);
  const line = lineOf(run);
  const open = (event: MouseEvent): void => {
    if (!(event.target as Element).closest("a, input, .pickcell")) go(href);
  };
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      className={`${isActive ? "on" : ""}`}
      data-run={run.handlerId}
      onClick={open}
    >
      <td className="hide-sm pickcell">
        <input
          type="checkbox"
          aria-label={`Select ${run.handlerId}`}
          checked={isPicked}
          onChange={() => onPick(run.handlerId)}
        />
      </td>
      <td>
        <FilterButton of={run.status} isWide onClick={() => onFilter(() => ({ status: run.status }))}>
          <StatusBadge status={status} />
        </FilterButton>
      </td>
      <td className="main">
        <div className="idrow">
          <a className="id cut" href={href} title={run.handlerId}>
            {run.handlerId}
          </a>
          {line !== "" && (
            <span className="why cut" title={line}>
              {line}
            </span>
          )}
        </div>
      </td>
      <td className="hide-sm ink2">
        <FilterButton of={run.workflow} isWide onClick={() => onFilter(() => ({ workflow: run.workflow }))}>
          <span className="cut name">{run.workflow}</span>
        </FilterButton>
      </td>
      <td className="hide-sm labels">
        <Labels run={run} onFilter={onFilter} />
      </td>
      <td className="right hide-sm">
        <span className="dur">
          <i className={status} style={{ width: barOf(tookMs) }} />
          <span className="num">
            <Duration fromMs={run.startedAtMs} toMs={endedAtMs} />
          </span>
        </span>
      </td>
      <td className="right ink2 num started">
        <Ago atMs={run.startedAtMs} />
      </td>
    </tr>
  );
}

const SHOWN_LABELS = 2;

type LabelsProps = Pick<RunRowProps, "run" | "onFilter">;

/** The version of the program, and the first labels. */
function Labels({ run: { version, labels }, onFilter }: LabelsProps): ReactNode {
  const pairs = Object.entries(labels);
  const all = pairs.map(([name, value]) => `${name}=${value}`);
  return (
    <>
      {pairs.slice(0, SHOWN_LABELS).map(([name, value]) => (
        <FilterButton
          key={name}
          of={`${name}=${value}`}
          onClick={() => onFilter((before) => ({ labels: { ...before.labels, [name]: value } }))}
        >
          <span className="cut">
            {name}={value}
          </span>
        </FilterButton>
      ))}
      {all.length > SHOWN_LABELS && (
        <span className="chip" title={all.join("\n")}>
          +{all.length - SHOWN_LABELS}
        </span>
      )}
      {version !== null && (
        <FilterButton of={`version ${version}`} onClick={() => onFilter(() => ({ version }))}>
          <span className="cut num">{version}</span>
        </FilterButton>
      )}
    </>
  );
}

interface FilterButtonProps {
  readonly of: string;
  /** It looks as what is in it, and is no stop of the tab key: the tools above the list do the same. */
  readonly isWide?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function FilterButton({ of, isWide = false, onClick, children }: FilterButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={isWide ? "only" : "chip"}
      tabIndex={isWide ? -1 : 0}
      title={`Only runs with ${of}`}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      {children}
    </button>
  );
}
