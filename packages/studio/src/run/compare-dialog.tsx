/** Which run to compare with: runs of the same workflow, and where this one comes from. */

import type { RunSummary } from "@millrace/client";
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Empty, Read } from "../ui/states.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { Ago } from "../ui/time.js";

const mostShown = 20;

export interface CompareDialogProps {
  readonly handler: RunSummary;
  readonly onClose: () => void;
}

export function CompareDialog({ handler, onClose }: CompareDialogProps): ReactNode {
  const { handlerId: id, workflow, forkedFrom: origin } = handler;
  const reading = useRead(`runs ${workflow}`, (signal) => client.runs({ workflow, limit: mostShown + 1, signal }));
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
