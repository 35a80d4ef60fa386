/** One durable call: what went in where it is known, what came out, or the request and the response of a model. */
import { type ReactNode, useState } from "react";
import type { CallPlace } from "../../model/asked-again.js";
import type { ItemCall } from "../../model/item-calls.js";
import { Button } from "../../ui/controls.js";
import { AskAgainDialog } from "../ask-again-dialog.js";
import { CallFacts } from "./call-list.js";
import { DatumSection } from "./datum-section.js";
import { FailureSection } from "./failure-section.js";
import { ModelCallView } from "./model-call-view.js";

export interface CallDataProps {
  readonly call: ItemCall;
  /** Label of its step. */
  readonly step: string;
  readonly onBack: () => void;
  readonly onGo: (tick: number) => void;
  /** Where a fork begins that makes the call again; `null` where none may be made. */
  readonly again: (CallPlace & { readonly runId: string }) | null;
}

export function CallData({ call, step, again, onBack, onGo }: CallDataProps): ReactNode {
  const { label, error, status, input, output, model, tick } = call;
  const [isAsking, setAsking] = useState(false);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <section className="scroll data" tabIndex={0} aria-label="Data of a call">
      <div className="row wrap itemhead">
        <Button kind="ghost" isSmall onClick={onBack}>
          ‹ {step}
        </Button>
        <h3 className="cut">
          <bdi>{label}</bdi>
        </h3>
        <CallFacts call={call} />
        {model !== null && again !== null && (
          <Button kind="ghost" icon="fork" isSmall onClick={() => setAsking(true)}>
            Ask again
          </Button>
        )}
        <span className="grow" />
        <button type="button" className="link num" onClick={() => onGo(tick)}>
          tick {tick}
        </button>
      </div>
      {error !== null && (
        <FailureSection
          failure={{ name: "Error", message: error.message, code: null, stack: null }}
          code={error.code}
        />
      )}
      {model !== null && <ModelCallView call={model} />}
      {input !== undefined && <DatumSection title="Input" datum={{ type: null, value: input }} />}
      {output !== undefined && <DatumSection title="Output" datum={{ type: null, value: output }} />}
      {status === "running" && <p className="muted">It has not returned yet.</p>}
      {isAsking && model !== null && again !== null && (
        <AskAgainDialog call={model} place={again} onClose={() => setAsking(false)} />
      )}
    </section>
  );
}
