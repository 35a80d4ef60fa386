import type { ReactNode } from "react";
import type { Json } from "../../api/json.types.js";
import { plural } from "../../ui/format.js";
import { Empty } from "../../ui/states.js";
import { DatumSection } from "./datum-section.js";

export interface EventDataProps {
  readonly type: string;
  /** The fields of each. */
  readonly events: readonly Json[];
  readonly tick: number;
}

/** The events of one type up to the cursor. */
export function EventData({ type, events, tick }: EventDataProps): ReactNode {
  const [first, ...others] = events;
  if (first === undefined) return <Empty>There was none up to tick {tick}.</Empty>;
  const title = plural(events.length, "event");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <section className="scroll data" tabIndex={0} aria-label="Data">
      <DatumSection title={title} datum={{ type, value: others.length === 0 ? first : events }} />
    </section>
  );
}
