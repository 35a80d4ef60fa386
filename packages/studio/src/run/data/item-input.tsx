/** What a work item was started with. */
import type { ItemInput as Given, RunAttempt } from "@millrace/client";
import { type ReactNode, useMemo } from "react";
import { client } from "../../api/client.js";
import { fieldsOf } from "../../api/plain-json.js";
import { useRead } from "../../api/use-read.js";
import { type PipelineInput, pipelineInputOf } from "../../model/pipeline-input.js";
import { type Datum, datumOf } from "../../model/run-data.js";
import { Loading } from "../../ui/states.js";
import { DatumSection } from "./datum-section.js";

export interface ItemInputProps {
  readonly rootId: string;
  /** The first attempt of the item. */
  readonly first: RunAttempt;
}

interface Section {
  readonly title: string;
  readonly datum: Datum;
}

/** The server knows it at the tick where the item began. */
export function ItemInput({ rootId, first }: ItemInputProps): ReactNode {
  const { runId, item, startedTick, eventType } = first;
  const { value, error } = useRead(`input ${runId} ${item}`, async (signal) => {
    const ofChild = runId === rootId ? {} : { childId: runId };
    const { input, state } = await client.at(rootId, startedTick, { ...ofChild, item, signal });
    return { sections: input === null ? [] : sectionsOf(input, { state, runId }) };
  });
  const sections = useMemo(() => value?.sections ?? [], [value]);
  if (error !== null || value?.sections.length === 0)
    return (
      <section className="datum">
        <h3>Input</h3>
        <p className="muted">{eventType === null ? "Events" : `An event ${eventType}`} no longer kept.</p>
      </section>
    );
  if (value === null) return <Loading rows={2} />;
  return sections.map(({ title, datum }) => <DatumSection key={title} title={title} datum={datum} />);
}

function sectionsOf(
  { events, slots }: Given,
  { state, runId }: { readonly state: unknown; readonly runId: string },
): Section[] {
  const [event] = events;
  if (slots !== null) {
    const fields = slots.map((slot, index) => [slot, events[index] === undefined ? null : fieldsOf(events[index])]);
    return [{ title: "Input", datum: { type: null, value: Object.fromEntries(fields) } }];
  }
  if (event !== undefined && /^pipeline\.\w+ /.test(event.type)) {
    const { frame, at } = event as { readonly frame?: unknown; readonly at?: unknown };
    const input = pipelineInputOf(state, { runId, frame: String(frame), at: Number(at) });
    return input === null ? [] : sectionsOfPipeline(input);
  }
  const stored = events.map((one) => ({ type: one.type, data: fieldsOf(one) }));
  const datum = datumOf(stored.length === 1 ? stored[0] : stored);
  return datum === null ? [] : [{ title: "Input", datum }];
}

function sectionsOfPipeline({ input, previous, people }: PipelineInput): Section[] {
  const plain = (title: string, value: Datum["value"]): Section => ({ title, datum: { type: null, value } });
  return [
    ...(previous === undefined
      ? [plain("Input", input)]
      : [plain("Input", previous), plain("Input of the run", input)]),
    ...(people === null ? [] : [plain("Answer of a person", people)]),
  ];
}
