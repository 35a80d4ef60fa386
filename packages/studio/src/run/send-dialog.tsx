/** Sends an event that may come from outside. */
import { type ReactNode, useId, useState } from "react";
import { assertAccepted, client } from "../api/client.js";
import type { JsonObject } from "../api/json.types.js";
import { readEvents, type WorkflowEvent } from "../api/read-events.js";
import { useRead } from "../api/use-read.js";
import { useSend } from "../api/use-send.js";
import { announce } from "../ui/announce.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { JsonForm } from "../ui/form.js";
import { Empty, ErrorBox, Read } from "../ui/states.js";

export interface SendDialogProps {
  readonly runId: string;
  readonly workflow: string;
  readonly onClose: () => void;
  readonly onSent: () => void;
}

export function SendDialog({ runId, workflow, onClose, onSent }: SendDialogProps): ReactNode {
  const reading = useRead(`events ${workflow}`, (signal) => readEvents(workflow, signal));
  const intro = (
    <>
      To <span className="mono">{runId}</span>. Every step that takes it gets it.
    </>
  );
  return (
    <Dialog title="Send an event" intro={intro} onClose={onClose}>
      <Read reading={reading} rows={3}>
        {(events) => {
          const sendable = events.filter(({ isSendable }) => isSendable);
          if (sendable.length === 0) return <Empty>No event of this workflow may come from outside.</Empty>;
          return <SendForm runId={runId} events={sendable} onClose={onClose} onSent={onSent} />;
        }}
      </Read>
    </Dialog>
  );
}

interface SendFormProps extends Omit<SendDialogProps, "workflow"> {
  readonly events: readonly WorkflowEvent[];
}

function SendForm({ runId, events, onClose, onSent }: SendFormProps): ReactNode {
  const id = useId();
  const [type, setType] = useState(events[0]?.type ?? "");
  const { isSending, error, send } = useSend();
  const schema = events.find((event) => event.type === type)?.schema;
  const sendEvent = async (value: JsonObject): Promise<void> => {
    assertAccepted(await client.handle(runId).sendEvent({ ...value, type }));
    announce(`${type} sent`);
    onSent();
    onClose();
  };
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Event</label>
        <select id={id} value={type} onChange={(event) => setType(event.target.value)}>
          {events.map((event) => (
            <option key={event.type}>{event.type}</option>
          ))}
        </select>
      </div>
      {schema !== undefined && (
        <JsonForm key={type} schema={schema} id="send" onSubmit={(value) => send(() => sendEvent(value))}>
          {error !== null && <ErrorBox error={error} />}
          <div className="row ends">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" disabled={isSending}>
              Send
            </Button>
          </div>
        </JsonForm>
      )}
    </>
  );
}
