import type { QueueLimitsShown, QueueState } from "@millrace/client/operate";
import { type ReactNode, useState } from "react";
import { operator } from "../api/operator.js";
import { useSend } from "../api/use-send.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { ErrorBox } from "../ui/states.js";
import { TextField } from "../ui/text-field.js";

interface LimitDialogProps {
  readonly queue: QueueState;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Changes the limits of a queue for all processes. An empty field is no limit. */
export function LimitDialog({ queue: { name, limits }, onClose, onChanged }: LimitDialogProps): ReactNode {
  const [texts, setTexts] = useState({
    concurrency: textOf(limits.concurrency),
    perKey: textOf(limits.perKey),
    rate: textOf(limits.rate?.limit ?? null),
    seconds: textOf(limits.rate === null ? null : limits.rate.perMs / 1_000),
  });
  const { isSending, error, send } = useSend();
  const wanted = limitsOf(texts);
  const field = (id: keyof typeof texts, label: string): ReactNode => (
    <TextField
      label={label}
      inputMode="numeric"
      placeholder="no limit"
      value={texts[id]}
      onText={(text) => setTexts((before) => ({ ...before, [id]: text }))}
    />
  );
  const submit = (): void => {
    if (wanted === null) return;
    send(async () => {
      await operator.queues.limit(name, wanted);
      announce(`${name} has new limits`);
      onChanged();
      onClose();
    });
  };
  return (
    <Dialog
      title={`Limits of ${name}`}
      intro="They hold for all processes at once, and over restarts, until they are reset. Runs that have a place keep it."
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={isSending || wanted === null}>
            Change
          </Button>
        </>
      }
    >
      {field("concurrency", "Runs with a place at the same time")}
      {field("perKey", "The same for each key")}
      {field("rate", "Runs that begin in a window of time")}
      {field("seconds", "Seconds of that window")}
      {wanted === null && (
        <p className="err" role="status">
          Each is a whole number from 1, or empty; a number of runs needs its seconds.
        </p>
      )}
      {error !== null && <ErrorBox error={error} />}
    </Dialog>
  );
}

function textOf(limit: number | null): string {
  return limit === null ? "" : String(limit);
}

type Texts = Readonly<Record<"concurrency" | "perKey" | "rate" | "seconds", string>>;

/** `null` while something is wrong. */
function limitsOf({ concurrency, perKey, rate, seconds }: Texts): QueueLimitsShown | null {
  const whole = (text: string): boolean => text.trim() === "" || /^\s*[1-9]\d{0,14}\s*$/.test(text);
  const perMs = Math.ceil(Number(seconds) * 1_000);
  const hasRate = rate.trim() !== "";
  if (!whole(concurrency) || !whole(perKey) || !whole(rate) || (hasRate && !(perMs >= 1))) return null;
  const numberOf = (text: string): number | null => (text.trim() === "" ? null : Number(text));
  return {
    concurrency: numberOf(concurrency),
    perKey: numberOf(perKey),
    rate: hasRate ? { limit: Number(rate), perMs } : null,
  };
}
