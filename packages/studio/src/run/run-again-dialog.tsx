import type { RunSummary } from "@millrace/client";
import { type ReactNode, useState } from "react";
import type { JsonObject } from "../api/json.types.js";
import type { Datum } from "../model/run-data.js";
import { type InputAs, InputAsChoice, StartForm } from "../start/start-form.js";
import { Dialog } from "../ui/dialog.js";
import { isRecord } from "../ui/format.js";
import { ownLabels } from "./own-labels.js";

export interface RunAgainDialogProps {
  readonly handler: RunSummary;
  readonly input: Datum;
  readonly onClose: () => void;
}

/** Starts a new run of the workflow, with the input and the labels of this one, which can be changed. */
export function RunAgainDialog({ handler, input, onClose }: RunAgainDialogProps): ReactNode {
  const { handlerId, workflow, labels } = handler;
  const [inputAs, setInputAs] = useState<InputAs>("form");
  const fields = isRecord(input.value) ? (input.value as JsonObject) : {};
  const intro = (
    <>
      A new run of {workflow}, from the beginning. <bdi className="mono">{handlerId}</bdi> stays as it is.
    </>
  );
  return (
    <Dialog title="Run again" intro={intro} onClose={onClose}>
      <InputAsChoice value={inputAs} onChange={setInputAs} />
      <StartForm
        name={workflow}
        inputAs={inputAs}
        input={fields}
        labels={ownLabels(labels, input)}
        button="Run again"
      />
    </Dialog>
  );
}
