import type { RunSummary } from "@millrace/client";
import type { ReactNode } from "react";
import { errorOf } from "../api/run-facts.js";
import type { RunStore } from "../model/run-store.js";
import { Button } from "../ui/controls.js";
import { plural } from "../ui/format.js";
import { Icon } from "../ui/icon.js";

export interface FailureNoticeProps {
  readonly run: RunStore;
  readonly handler: RunSummary;
  /** Shows the data of a tick. */
  readonly onOpen: (tick: number) => void;
}

/** Why the run failed, in one line that leads to the tick. */
export function FailureNotice({ run, handler, onOpen }: FailureNoticeProps): ReactNode {
  const index = run.entries.findLastIndex(
    ({ tick, runId: id }, place) =>
      tick.type === "step.failed" && tick["retryAtMs"] == null && id === run.runId && run.lineAt(place).isFailure,
  );
  const entry = run.entries[index];
  const message = (entry === undefined ? null : run.lineAt(index).message) ?? errorOf(handler)?.message;
  return (
    <div className="notice failed" role="alert">
      <Icon name="failed" />
      <p>
        <b>
          {entry === undefined ? "The run failed." : `${run.facts.naming(entry.step ?? "", entry.runId).label} failed`}
        </b>
        {entry !== undefined && ` after ${plural(entry.attempt ?? 1, "attempt")}.`}{" "}
        <span className="msg">{message}</span>
      </p>
      {entry !== undefined && (
        <Button isSmall onClick={() => onOpen(entry.number)}>
          Show
        </Button>
      )}
    </div>
  );
}
