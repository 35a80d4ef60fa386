import type { RunSummary } from "@millrace/client";
import { type ReactNode, useId, useState } from "react";
import { baseUrl } from "../api/client.js";
import type { JsonObject } from "../api/json.types.js";
import { operator } from "../api/operator.js";
import { isOpen } from "../api/run-facts.js";
import { useRead } from "../api/use-read.js";
import type { Datum } from "../model/run-data.js";
import { type StartForm, startText } from "../model/start-text.js";
import { useStudioConfig } from "../shell/studio-config.js";
import { Button, type Choice, Segmented } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";
import { isRecord } from "../ui/format.js";
import { Read } from "../ui/states.js";
import { TextField } from "../ui/text-field.js";
import { CopyButton } from "../ui/value-view.js";
import { ownLabels } from "./own-labels.js";

export interface CopyDialogProps {
  readonly handler: RunSummary;
  readonly input: Datum | null;
  readonly onClose: () => void;
}

type Shown = StartForm | "test";

const starts: readonly Choice<StartForm>[] = [
  { value: "curl", label: "curl" },
  { value: "cli", label: "CLI" },
  { value: "typescript", label: "TypeScript" },
];

/** What the run is elsewhere: the start of another one with its input, and a test that plays it again. */
export function CopyDialog({ handler, input, onClose }: CopyDialogProps): ReactNode {
  const { tests } = useStudioConfig();
  const canTest = tests && !isOpen(handler) && handler.forkedFrom == null;
  const choices: readonly Choice<Shown>[] = [
    ...(input === null ? [] : starts),
    ...(canTest ? [{ value: "test", label: "Test" } as const] : []),
  ];
  const [shown, setShown] = useState<Shown>(choices[0]?.value ?? "curl");
  const intro =
    shown === "test"
      ? "Two files that play the run again, offline, with the answers of then. The test fails when the code takes another way."
      : "Starts a new run with the input and the labels of this one.";
  return (
    <Dialog title="Copy as" intro={intro} isWide onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Segmented label="Copy as" choices={choices} value={shown} onChange={setShown} />
      {shown === "test" ? (
        <TestFiles handlerId={handler.handlerId} />
      ) : (
        input !== null && <Start form={shown} {...{ handler, input }} />
      )}
    </Dialog>
  );
}

interface StartProps {
  readonly form: StartForm;
  readonly handler: RunSummary;
  readonly input: Datum;
}

function Start({ form, handler, input }: StartProps): ReactNode {
  const { hasTenants } = useStudioConfig();
  const text = startText(form, {
    baseUrl: baseUrl.href.replace(/\/$/, ""),
    asksToken: hasTenants,
    workflow: handler.workflow,
    input: isRecord(input.value) ? (input.value as JsonObject) : {},
    labels: ownLabels(handler.labels, input),
  });
  const name = starts.find(({ value }) => value === form)?.label ?? form;
  return <CodeFile text={text} what={`the ${name}`} />;
}

function TestFiles({ handlerId }: { readonly handlerId: string }): ReactNode {
  const [fields, setFields] = useState("");
  const redact = fields.split(/[\s,]+/).filter(Boolean);
  const reading = useRead(`test ${handlerId} ${redact.join(" ")}`, (signal) =>
    operator.runTest(handlerId, { redact, signal }),
  );
  return (
    <>
      <TextField
        label="Fields whose texts are replaced"
        isOptional
        placeholder="email, name"
        autoComplete="off"
        spellCheck={false}
        value={fields}
        onText={setFields}
      />
      <Read reading={reading} rows={8}>
        {({ recording, test }) => (
          <>
            <CodeFile name={test.path} text={test.text} what="the test" />
            <CodeFile name={recording.path} text={recording.text} what="the recording" isFolded />
            <p className="muted">
              Save both, and run <code>npx vitest run {test.path}</code>
              {redact.length === 0 && ". The recording has every text of the run"}.
            </p>
          </>
        )}
      </Read>
    </>
  );
}

interface CodeFileProps {
  readonly name?: string;
  readonly text: string;
  /** What is copied. */
  readonly what: string;
  /** Shows its size only. */
  readonly isFolded?: boolean;
}

function CodeFile({ name, text, what, isFolded = false }: CodeFileProps): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="row">
        <span className={name === undefined ? "sr" : "mono cut"} id={id}>
          {name ?? what}
        </span>
        {isFolded && <span className="muted num">{sizeOf(text)}</span>}
        <span className="grow" />
        {name !== undefined && <Download name={name} text={text} what={what} />}
        <CopyButton value={text} what={what} />
      </div>
      {!isFolded && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
        <pre className="code plain" tabIndex={0}>
          {text}
        </pre>
      )}
    </section>
  );
}

function Download({
  name,
  text,
  what,
}: {
  readonly name: string;
  readonly text: string;
  readonly what: string;
}): ReactNode {
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    const link = Object.assign(document.createElement("a"), { href: url, download: name.split("/").at(-1) });
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Button kind="ghost" isSmall aria-label={`Save ${what}`} onClick={save}>
      Save
    </Button>
  );
}

function sizeOf(text: string): string {
  const bytes = new Blob([text]).size;
  return bytes < 1_000
    ? `${bytes} B`
    : bytes < 999_500
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
}
