import type { BulkOptions } from "@millrace/client";
import { type ReactNode, useMemo, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { useSend } from "../api/use-send.js";
import { type RunFilter, selectionOf } from "../model/run-filter.js";
import { queryOf } from "../model/run-query.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorBox } from "../ui/states.js";
import { TextField } from "../ui/text-field.js";
import { actionWords, type ListAction, runsText, type Selection } from "./bulk-action.js";
import { shownJobs } from "./shown-jobs.js";

export interface BulkDialogProps {
  readonly action: ListAction;
  readonly selection: Selection;
  readonly filter: RunFilter;
  readonly onClose: () => void;
  readonly onStarted: () => void;
}

/** Says how many runs it is about, and by which query, before anything is done. */
export function BulkDialog({ action, selection, filter, onClose, onStarted }: BulkDialogProps): ReactNode {
  const { verb, past } = actionWords[action];
  // The moment that `2h` counts from is that of the number which is shown.
  const where = useMemo(() => selectionOf(filter, Date.now()), [filter]);
  const isAll = selection === "all";
  const counted = useRead(isAll ? `matching ${action} ${queryOf(filter)}` : null, (signal) =>
    client.matching({ action, where, most: 100_000, signal }),
  );
  const [rate, setRate] = useState("100");
  const [reason, setReason] = useState("");
  const { isSending, error, send } = useSend();
  const count = isAll ? (counted.value?.count ?? null) : selection.length;
  // A job must not depend on a number that could not be had.
  const mayStart = count === null ? counted.error !== null : count > 0;
  const isMore = isAll && counted.value?.isAll === false;
  const perSecond = Number(rate);
  const isRate = Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= 1_000;
  const start = (): void =>
    send(async () => {
      const job = client.bulk({
        action,
        perSecond,
        ...(isAll ? { where } : { handlerIds: selection }),
        ...(reason !== "" && { reason }),
      } satisfies BulkOptions);
      await job.accepted;
      shownJobs.add(job.handlerId);
      announce(`${verb} has begun`);
      onStarted();
    });
  const runs = count === null ? "the runs" : `${isMore ? "more than " : ""}${runsText(count)}`;
  return (
    <Dialog
      title={`${verb} ${runs}?`}
      intro={isAll ? `All that match, also those that are not in the list yet.` : "The runs that you have chosen."}
      onClose={onClose}
      onSubmit={() => mayStart && isRate && start()}
      actions={
        <>
          <Button kind="ghost" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" kind="primary" disabled={isSending || !mayStart || !isRate}>
            {verb} {runs}
          </Button>
        </>
      }
    >
      {isAll && <code className="query">{queryOf(filter)}</code>}
      {count === 0 && <p className="hint">None of the runs that match can be {past}.</p>}
      {action === "delete" && (
        <p className="hint">Nothing remains of a deleted run. A run that is at work is skipped: cancel it first.</p>
      )}
      {action === "cancel" && <TextField label="Reason" isOptional value={reason} maxLength={200} onText={setReason} />}
      <TextField
        label="Runs per second, at most"
        inputMode="numeric"
        value={rate}
        aria-invalid={!isRate}
        onText={setRate}
      />
      {!isRate && <span className="err">A whole number from 1 to 1,000.</span>}
      {counted.error !== null && <ErrorBox error={counted.error} />}
      {error !== null && <ErrorBox error={error} />}
    </Dialog>
  );
}
