/** Which run to compare with: runs of the same workflow, and where this one comes from. */
import type { ReactNode } from "react";
import type { Handler, HandlerPage } from "../api/contract.types.js";
import { useGet } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Empty, Read } from "../ui/states.js";
import { StatusBadge, statusOf } from "../ui/status.js";
import { Ago } from "../ui/time.js";

const mostShown = 20;

export interface CompareDialogProps {
  readonly handler: Handler;
  readonly onClose: () => void;
}

export function CompareDialog({ handler, onClose }: CompareDialogProps): ReactNode {
  const { handler_id: id, workflow_name: workflow, forked_from: origin } = handler;
  const reading = useGet<HandlerPage>("handlers", { workflow_name: workflow, limit: mostShown + 1 });
  const title = (
    <>
      Compare <bdi>{id}</bdi> with
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} actions={<Button onClick={onClose}>Cancel</Button>}>
      {origin != null && (
        <a className="row choice" href={hrefOf("compare", origin.handler_id, id)}>
          <span className="mono cut">{origin.handler_id}</span>
          <span className="muted">the run that it is a fork of</span>
        </a>
      )}
      <Read reading={reading} rows={4}>
        {({ handlers }) => {
          const others = handlers.filter((other) => other.handler_id !== id && other.handler_id !== origin?.handler_id);
          if (others.length === 0 && origin == null) return <Empty>There is no other run of {workflow}.</Empty>;
          return others.map((other) => (
            <a key={other.handler_id} className="row choice" href={hrefOf("compare", other.handler_id, id)}>
              <span className="mono cut grow">{other.handler_id}</span>
              <StatusBadge status={statusOf(other)} />
              <span className="muted num">
                <Ago at={other.started_at} />
              </span>
            </a>
          ));
        }}
      </Read>
    </Dialog>
  );
}
