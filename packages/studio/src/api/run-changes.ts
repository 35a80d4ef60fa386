/**
 * Runs that change, whichever they are: one stream for the whole page, because a browser keeps few connections to one server.
 *
 * @module
 */
import type { Handler } from "./contract.types.js";
import { follow } from "./follow.js";

export interface RunListener {
  readonly onChanged: (run: Handler) => void;
  readonly onGone: (id: string) => void;
  /** Changes were missed: everything has to be read again. */
  readonly onMissed: () => void;
}

const listeners = new Set<RunListener>();
let stop: () => void = () => {};

/** Listens until the returned function is called. */
export function onRunChanges(listener: RunListener): () => void {
  listeners.add(listener);
  if (listeners.size === 1) stop = open();
  return () => {
    if (listeners.delete(listener) && listeners.size === 0) stop();
  };
}

function open(): () => void {
  return follow({
    path: "/handlers",
    onMessage: ({ event, data }) => {
      // "open": every change is reported from now on. "reset": there were too many.
      if (event === "open" || event === "reset") for (const { onMissed } of listeners) onMissed();
      if (event === "changed") for (const { onChanged } of listeners) onChanged(JSON.parse(data) as Handler);
      if (event !== "gone") return;
      const { handler_id: id } = JSON.parse(data) as Pick<Handler, "handler_id">;
      for (const { onGone } of listeners) onGone(id);
    },
  });
}
