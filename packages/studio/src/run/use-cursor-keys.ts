/** The keys of the run page. */

import { lastUpTo } from "../model/numbers.js";
import type { RunStore } from "../model/run-store.js";
import { useKeys } from "../ui/use-keys.js";

export type PaneName = "graph" | "time" | "log" | "state";

export interface CursorKeys {
  readonly run: RunStore;
  readonly onGo: (tick: number) => void;
  readonly onPlay: () => void;
  readonly onPane: (pane: PaneName) => void;
  readonly onFork: (() => void) | null;
  readonly onAnswer: () => boolean;
  readonly onSearch: () => void;
  /** Says whether there was something to undo. */
  readonly onEscape: () => boolean;
  /** Places of the ticks that the log shows. */
  readonly rows: { readonly current: readonly number[] };
  readonly log: { readonly current: HTMLElement | null };
}

const panes: Readonly<Record<string, PaneName>> = { g: "graph", t: "time", l: "log", s: "state" };
const directions: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowLeft: -1, j: 1, k: -1 };
const inLog: Readonly<Record<string, 1 | -1>> = { ...directions, ArrowDown: 1, ArrowUp: -1 };

export function useCursorKeys(keys: CursorKeys): void {
  useKeys((event) => {
    const { run, onGo, onPlay, onPane, onFork, onAnswer, onSearch, onEscape } = keys;
    const isInLog = keys.log.current !== null && document.activeElement === keys.log.current;
    const direction = (isInLog ? inLog : directions)[event.key];
    if (direction !== undefined) return moved(keys, direction * (event.shiftKey ? 10 : 1), isInLog);
    const pane = panes[event.key];
    if (pane !== undefined) return done(() => onPane(pane));
    switch (event.key) {
      case "Home":
        return done(() => onGo(run.first));
      case "End":
        return done(() => onGo(run.last));
      case " ":
        return done(onPlay);
      case "n":
      case "N":
        return done(() => onGo(run.nextStop(event.shiftKey ? -1 : 1) ?? run.tick));
      case "f":
        return onFork !== null && done(onFork);
      case "a":
        return onAnswer();
      case "/":
        return done(onSearch);
      case "Escape":
        return onEscape();
      default:
        return false;
    }
  });
}

function done(work: () => void): true {
  work();
  return true;
}

/** In the log only from one visible tick to another. */
function moved({ run, onGo, rows: { current: rows } }: CursorKeys, by: number, isInLog: boolean): true {
  if (!isInLog) {
    onGo(run.tick + by);
    return true;
  }
  const at = run.indexOf(run.tick);
  const place = lastUpTo(rows, at, (index) => index);
  const aimed = place + by + (by < 0 && rows[place] !== at ? 1 : 0);
  const index = rows[Math.max(0, Math.min(rows.length - 1, aimed))];
  const number = index === undefined ? undefined : run.entries[index]?.number;
  if (number !== undefined) onGo(number);
  return true;
}
