/** What a work item was started with. */
import type { RunAttempt } from "@millrace/client";
import type { ReactNode } from "react";
import { useRead } from "../../api/use-read.js";
import { readItemInput } from "../../questions/read-item-input.js";
import { Loading } from "../../ui/states.js";
import { DatumSection } from "./datum-section.js";

export interface ItemInputProps {
  readonly rootId: string;
  /** The first attempt of the item. */
  readonly first: RunAttempt;
}

export function ItemInput({ rootId, first }: ItemInputProps): ReactNode {
  const { runId, item, eventType } = first;
  const { value, error } = useRead(`input ${runId} ${item}`, (signal) => readItemInput(rootId, first, signal));
  if (error !== null || value?.length === 0)
    return (
      <section className="datum">
        <h3>Input</h3>
        <p className="muted">{eventType === null ? "Events" : `An event ${eventType}`} no longer kept.</p>
      </section>
    );
  if (value === null) return <Loading rows={2} />;
  return value.map(({ title, datum }) => <DatumSection key={title} title={title} datum={datum} />);
}
