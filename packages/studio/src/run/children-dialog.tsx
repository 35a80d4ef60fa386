/** The child runs of a run, as links to their pages. */
import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { hrefOf } from "../route.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Read } from "../ui/states.js";
import { StatusBadge, statusOf } from "../ui/status.js";

export interface ChildrenDialogProps {
  readonly rootId: string;
  /** Those to choose from. */
  readonly runIds: readonly string[];
  readonly onClose: () => void;
}

export function ChildrenDialog({ rootId, runIds, onClose }: ChildrenDialogProps): ReactNode {
  const reading = useRead(`children ${rootId}`, (signal) => client.children(rootId, { signal }));
  return (
    <Dialog title="Child runs" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Read reading={reading} rows={4}>
        {(children) =>
          children
            .filter(({ runId }) => runIds.includes(runId))
            .map(({ runId, workflow, step, item, status }) => (
              <a key={runId} className="row choice" href={hrefOf("child", rootId, runId)} onClick={onClose}>
                <span className="cut grow">
                  {workflow} <span className="mono muted">{runId}</span>
                </span>
                <span className="muted num">
                  {step} #{item}
                </span>
                <StatusBadge status={statusOf({ status })} />
              </a>
            ))
        }
      </Read>
    </Dialog>
  );
}
