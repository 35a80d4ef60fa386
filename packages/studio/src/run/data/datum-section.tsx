import { type ReactNode, useId } from "react";
import type { Datum } from "../../model/run-data.js";
import { JsonTree } from "../../ui/json-tree.js";
import { CopyButton, ValueView } from "../../ui/value-view.js";

export interface DatumSectionProps {
  readonly title: string;
  readonly datum: Datum;
  /** A tree also for a list of records, whose fields are too long for a table. @default false */
  readonly isTree?: boolean;
}

/** A value under its name, with the type of its event, and a button that copies it. */
export function DatumSection({ title, datum: { type, value }, isTree = false }: DatumSectionProps): ReactNode {
  const heading = useId();
  return (
    <section className="datum" aria-labelledby={heading}>
      <div className="row">
        <h3 id={heading}>{title}</h3>
        {type !== null && (
          <code className="ev cut">
            <bdi>{type}</bdi>
          </code>
        )}
        <span className="grow" />
        <CopyButton value={value} what={title.toLowerCase()} />
      </div>
      {isTree ? <JsonTree value={value} empty="Empty." /> : <ValueView value={value} />}
    </section>
  );
}
