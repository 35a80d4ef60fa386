/** The source code of a step, if the server has it. */
import { type ReactNode, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { Read } from "../ui/states.js";

interface StepPlace {
  readonly workflow: string;
  readonly step: string;
}

/** A button that shows it; nothing where the server cannot. */
export function CodeButton({ workflow, step }: StepPlace): ReactNode {
  const { sources } = useStudioConfig();
  const [isOpen, setOpen] = useState(false);
  if (!sources) return null;
  return (
    <>
      <Button isSmall onClick={() => setOpen(true)}>{`Code of ${step}`}</Button>
      {isOpen && <CodeDialog workflow={workflow} step={step} onClose={() => setOpen(false)} />}
    </>
  );
}

export interface CodeDialogProps extends StepPlace {
  readonly onClose: () => void;
}

export function CodeDialog({ workflow, step, onClose }: CodeDialogProps): ReactNode {
  const reading = useRead(`source ${workflow} ${step}`, (signal) => client.stepSource(workflow, step, { signal }));
  const { value } = reading;
  return (
    <Dialog
      title={`Code of ${step}`}
      intro={value === null ? undefined : <span className="mono">{`${value.file}:${value.line}`}</span>}
      isWide
      onClose={onClose}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <Read reading={reading} rows={6}>
        {({ text, line }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
          <pre className="code" tabIndex={0} style={{ counterReset: `line ${line - 1}` }}>
            {linesOf(text, line).map(({ number, content }) => (
              <code key={number}>{`${content}\n`}</code>
            ))}
          </pre>
        )}
      </Read>
    </Dialog>
  );
}

const linesOf = (text: string, first: number) =>
  text.split("\n").map((content, index) => ({ number: first + index, content }));
