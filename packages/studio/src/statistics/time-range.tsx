/** How far back statistics go. */
import type { ReactNode } from "react";
import { type Choice, Segmented } from "../ui/controls.js";

export type TimeRange = "24h" | "7d" | "30d";

const hourMs = 3_600_000;
export const rangeMs: Readonly<Record<TimeRange, number>> = {
  "24h": 24 * hourMs,
  "7d": 168 * hourMs,
  "30d": 720 * hourMs,
};

const choices: readonly Choice<TimeRange>[] = [
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
];

export interface TimeRangeChoiceProps {
  readonly value: TimeRange;
  readonly onChange: (range: TimeRange) => void;
}

export function TimeRangeChoice({ value, onChange }: TimeRangeChoiceProps): ReactNode {
  return <Segmented label="Time" choices={choices} value={value} onChange={onChange} />;
}
