/** Which run to compare with: runs of the same workflow, and where this one comes from. */

import type { RunSummary } from "@millrace/client";
import { type FormEvent, type ReactNode, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Empty, Read } from "../ui/states.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { TextField } from "../ui/text-field.js";
import { Ago } from "../ui/time.js";

const mostShown = 20;

export interface CompareDialogProps {
  readonly handler: RunSummary;
  readonly onClose: () => void;
}

export function CompareDialog({ handler, onClose }: CompareDialogProps): ReactNode {
  const { handlerId: id, workflow, forkedFrom: origin } = handler;
  const reading = useRead(`runs ${workflow}`, (signal) => client.runs({ workflow, limit: mostShown + 1, signal }));
  const good = useRead(`last good run of ${workflow}`, (signal) =>
    client.runs({ workflow, status: "completed", limit: 2, signal }),
  );
  const lastGood = good.value?.runs.find((other) => other.handlerId !== id);
  const title = (
    <>
      Compare <bdi>{id}</bdi> with
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} actions={<Button onClick={onClose}>Cancel</Button>}>
      {origin != null && (
        <a className="row choice" href={hrefOf("compare", origin.handlerId, id)}>
          <span className="mono cut">{origin.handlerId}</span>
          <span className="muted">the run that it is a fork of</span>
        </a>
      )}
      {lastGood !== undefined && (
        <a className="row choice" href={hrefOf("compare", lastGood.handlerId, id)}>
          <span className="mono cut">{lastGood.handlerId}</span>
          <span className="muted">the last completed run of {workflow}</span>
        </a>
      )}
      <Pasted id={id} />
      <Read reading={reading} rows={4}>
        {({ runs }) => {
          const others = runs.filter((other) => other.handlerId !== id && other.handlerId !== origin?.handlerId);
          if (others.length === 0 && origin == null) return <Empty>There is no other run of {workflow}.</Empty>;
          return others.map((other) => (
            <a key={other.handlerId} className="row choice" href={hrefOf("compare", other.handlerId, id)}>
              <span className="mono cut grow">{other.handlerId}</span>
              <StatusBadge status={statusOf(other)} />
              <span className="muted num">
                <Ago atMs={other.startedAtMs} />
              </span>
            </a>
          ));
        }}
      </Read>
    </Dialog>
  );
}

/** Any run, of this workflow or of another one. */
function Pasted({ id }: { readonly id: string }): ReactNode {
  const [text, setText] = useState("");
  const other = text.trim();
  const open = (event: FormEvent): void => {
    event.preventDefault();
    if (other !== "") location.hash = hrefOf("compare", other, id).slice(1);
  };
  return (
    <form className="row pasted" onSubmit={open}>
      <TextField label="Id of another run" value={text} onText={setText} />
      <Button type="submit" disabled={other === "" || other === id}>
        Compare
      </Button>
    </form>
  );
}
