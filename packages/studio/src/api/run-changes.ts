/**
 * Runs that change, whichever they are: one stream for the whole page, because a browser keeps few connections to one server.
 *
 * @module
 */
import type { RunListChange, RunSummary } from "@millrace/client";
import { streams } from "./client.js";
import { follow } from "./follow.js";

export interface RunListener {
  readonly onChanged: (run: RunSummary) => void;
  readonly onGone: (id: string) => void;
  /** Changes were missed: everything has to be read again. */
  readonly onMissed: () => void;
}

const listeners = new Set<RunListener>();
let stop: () => void = () => {};

/** Listens until the returned function is called. */
export function onRunChanges(listener: RunListener): () => void {
  listeners.add(listener);
  if (listeners.size === 1) stop = follow({ open: (signal) => streams.watchRuns({ signal }), onItem: report });
  return () => {
    if (listeners.delete(listener) && listeners.size === 0) stop();
  };
}

function report(change: RunListChange): void {
  for (const { onMissed, onChanged, onGone } of listeners) {
    if (change.type === "changed") onChanged(change.run);
    else if (change.type === "gone") onGone(change.handlerId);
    else onMissed();
  }
}
