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
import { actionWords, type ListAction, type RunsOfJob, runsText, type Selection } from "./bulk-action.js";
import { shownJobs } from "./shown-jobs.js";

export interface BulkDialogProps {
  readonly action: ListAction;
  readonly selection: Selection | RunsOfJob;
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
  const ofJob = typeof selection === "object" && "cancelledBy" in selection ? selection : null;
  const isCounted = isAll || ofJob !== null;
  const counted = useRead(isCounted ? `matching ${action} ${ofJob?.cancelledBy ?? queryOf(filter)}` : null, (signal) =>
    client.matching({ action, ...(ofJob ?? { where }), most: 100_000, signal }),
  );
  const [rate, setRate] = useState("100");
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { isSending, error, send } = useSend();
  const count = isCounted ? (counted.value?.count ?? null) : (selection as readonly string[]).length;
  // A job must not depend on a number that could not be had.
  const mayStart = count === null ? counted.error !== null : count > 0;
  const isMore = isCounted && counted.value?.isAll === false;
  const perSecond = Number(rate);
  const isRate = Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= 1_000;
  // What is deleted does not come back: a hand that slips has to slip twice.
  const mustType = action === "delete" && count !== 1 ? (count === null || isMore ? "delete" : String(count)) : null;
  const isReady = mayStart && isRate && (mustType === null || typed.trim() === mustType);
  const start = (): void =>
    send(async () => {
      const job = client.bulk({
        action,
        perSecond,
        ...(ofJob ?? (isAll ? { where } : { handlerIds: selection as readonly string[] })),
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
      intro={introOf(selection)}
      onClose={onClose}
      onSubmit={() => isReady && start()}
      actions={
        <>
          <Button kind="ghost" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" kind="primary" disabled={isSending || !isReady}>
            {verb} {runs}
          </Button>
        </>
      }
    >
      {isAll && <code className="query">{queryOf(filter)}</code>}
      {count === 0 && <p className="hint">None of the runs that match can be {past}.</p>}
      {action === "delete" && (
        <p className="hint">
          Nothing remains of a deleted run, and nothing brings it back. A run that is at work is skipped: cancel it
          first.
        </p>
      )}
      {mustType !== null && count !== 0 && (
        <TextField
          label={`Type ${mustType} to delete ${runs}`}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onText={setTyped}
        />
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

function introOf(selection: BulkDialogProps["selection"]): string {
  if (selection === "all") return "All that match, also those that are not in the list yet.";
  return "cancelledBy" in selection
    ? "The runs that the job has cancelled, and that nobody has resumed since. Each continues where it stood."
    : "The runs that you have chosen.";
}
