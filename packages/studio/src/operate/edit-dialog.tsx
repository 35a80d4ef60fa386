import type { Schedule } from "@millrace/client";
import { type ReactNode, useState } from "react";
import type { Json } from "../api/json.types.js";
import { operator } from "../api/operator.js";
import { useSend } from "../api/use-send.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { JsonText } from "../ui/form.js";
import { isRecord } from "../ui/format.js";
import { ErrorBox } from "../ui/states.js";
import { TextField } from "../ui/text-field.js";

interface EditDialogProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Changes when a schedule occurs, and with what input. Values that JSON cannot hold are left to the code. */
export function EditDialog({ schedule, onClose, onChanged }: EditDialogProps): ReactNode {
  const { name, start } = schedule;
  const [cron, setCron] = useState(schedule.cron);
  const [timezone, setTimezone] = useState(schedule.timezone);
  const [input, setInput] = useState<Json | undefined>(start.value as Json);
  const { isSending, error, send } = useSend();
  const isPlain = start.meta === undefined;
  const edit = {
    ...(cron.trim() !== schedule.cron && { cron: cron.trim() }),
    ...(timezone.trim() !== schedule.timezone && { timezone: timezone.trim() }),
    ...(isRecord(input) && JSON.stringify(input) !== JSON.stringify(start.value) && { input }),
  };
  const isRight = !isPlain || isRecord(input);
  const submit = (): void =>
    send(async () => {
      await operator.schedules.edit(name, edit);
      announce(`${name} edited`);
      onChanged();
      onClose();
    });
  return (
    <Dialog
      title={`Edit ${name}`}
      intro="It holds at once and over restarts, until the code says something else of it, or it is reset."
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={isSending || !isRight || Object.keys(edit).length === 0}>
            Save
          </Button>
        </>
      }
    >
      <TextField label="Cron" value={cron} spellCheck={false} onText={setCron} />
      <TextField label="Time zone" value={timezone} spellCheck={false} onText={setTimezone} />
      {isPlain && <JsonText label="Input" value={start.value as Json} onChange={setInput} />}
      {error !== null && <ErrorBox error={error} />}
    </Dialog>
  );
}
