import type { ReactNode } from "react";
import { Card } from "../ui/page.js";
import type { ModelPair, TextPair } from "./model/model-pairs.js";

/** Calls of models that differ, with their texts side by side. */
export function ModelTable({ pairs }: { readonly pairs: readonly ModelPair[] }): ReactNode {
  if (pairs.length === 0) return null;
  return (
    <Card title="Model calls that differ" className="part">
      {pairs.map(({ step, number, texts }, index) => (
        <details key={`${step} ${number}`} className="modelpair" open={index === 0}>
          <summary>
            <bdi>{step}</bdi>, call {number} <span className="muted">{texts.map(({ title }) => title).join(", ")}</span>
          </summary>
          {texts.map((text) => (
            <Texts key={text.title} text={text} />
          ))}
        </details>
      ))}
    </Card>
  );
}

function Texts({ text: { title, a, b } }: { readonly text: TextPair }): ReactNode {
  const [ofA, ofB] = [new Set(a.split("\n")), new Set(b.split("\n"))];
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <div className="texts">
        <Lines side="A" text={a} others={ofB} />
        <Lines side="B" text={b} others={ofA} />
      </div>
    </section>
  );
}

/** Lines that the other side does not have are marked. */
function Lines({
  side,
  text,
  others,
}: {
  readonly side: string;
  readonly text: string;
  readonly others: ReadonlySet<string>;
}): ReactNode {
  if (text === "") return <p className="muted">{side} has none.</p>;
  return (
    <pre className="mono">
      {text.split("\n").map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have an order
        <span key={index} className={others.has(line) ? "" : "ne"}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
