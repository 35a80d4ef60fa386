/** One durable call: what went in where it is known, what came out, or the request and the response of a model. */
import type { ReactNode } from "react";
import type { ItemCall } from "../../model/item-calls.js";
import { Button } from "../../ui/controls.js";
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
}

export function CallData({ call, step, onBack, onGo }: CallDataProps): ReactNode {
  const { label, error, status, input, output, model, tick } = call;
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
    </section>
  );
}
