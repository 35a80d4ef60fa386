/** Counts over time as stacked bars. Where a part of the time can be chosen, bars are dragged over, or reached with the arrow keys. */
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { duration, plural } from "../ui/format.js";

export interface TimeBar {
  readonly atMs: number;
  /** From the bottom up: the class of its colour, and how many. */
  readonly parts: readonly (readonly [tone: string, count: number])[];
}

/** The beginning of something, such as the first runs of a version. */
export interface TimeMark {
  /** Of a bar. */
  readonly atMs: number;
  readonly text: string;
}

export interface TimeBarsProps {
  readonly fromMs: number;
  readonly toMs: number;
  readonly periodMs: number;
  readonly bars: readonly TimeBar[];
  /** What is counted, such as `run`. */
  readonly noun: string;
  /** Lines before bars that cannot be chosen. @default none */
  readonly marks?: readonly TimeMark[];
  /** Called with the part of the time that was chosen. */
  readonly onChoose?: (fromMs: number, toMs: number) => void;
  readonly className?: string;
}

export function TimeBars(props: TimeBarsProps): ReactNode {
  const { fromMs, toMs, periodMs, bars, noun, onChoose, marks = [], className = "" } = props;
  const byTime = new Map(bars.map((bar) => [bar.atMs, bar]));
  const times = Array.from({ length: Math.round((toMs - fromMs) / periodMs) }, (_, index) => fromMs + index * periodMs);
  const most = Math.max(1, ...bars.map(totalOf));
  const total = bars.reduce((sum, bar) => sum + totalOf(bar), 0);
  const [marked, setMarked] = useState<readonly [number, number] | null>(null);
  const [active, setActive] = useState(0);
  const columns = times.map((atMs) => <Stack key={atMs} bar={byTime.get(atMs)} most={most} />);
  const words = `${plural(total, noun)} from ${timeWords(fromMs)} to ${timeWords(toMs)}, ${duration(periodMs)} to a bar`;
  if (onChoose === undefined)
    return (
      <div className={`timebars ${className}`} role="img" aria-label={[words, ...marks.map(markWords)].join("; ")}>
        {columns}
        {marks.map(({ atMs, text }) => (
          <Mark key={text} share={(atMs - fromMs) / (toMs - fromMs)} text={text} />
        ))}
      </div>
    );
  const choose = (one: number, other: number): void => {
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    setMarked(null);
    onChoose(times[first] ?? fromMs, (times[last] ?? toMs) + periodMs);
  };
  const press = (event: KeyboardEvent, index: number): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(times.length - 1, Math.max(0, index + step));
    setActive(next);
    (event.currentTarget.parentElement?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      className={`timebars choosable ${className}`}
      role="group"
      aria-label={words}
      onPointerLeave={() => setMarked(null)}
    >
      {times.map((atMs, index) => {
        const isMarked = marked !== null && index >= Math.min(...marked) && index <= Math.max(...marked);
        return (
          <button
            key={atMs}
            type="button"
            tabIndex={index === Math.min(active, times.length - 1) ? 0 : -1}
            className={isMarked ? "marked" : ""}
            title={barWords(atMs, byTime.get(atMs), noun)}
            aria-label={barWords(atMs, byTime.get(atMs), noun)}
            onKeyDown={(event) => press(event, index)}
            onPointerDown={(event) => {
              if (event.pointerType === "touch") return;
              setMarked([index, index]);
            }}
            onPointerEnter={() => marked !== null && setMarked([marked[0], index])}
            onClick={() => choose(marked?.[0] ?? index, index)}
            onPointerUp={() => marked !== null && marked[0] !== index && choose(marked[0], index)}
          >
            {columns[index]}
          </button>
        );
      })}
    </div>
  );
}

/** Its text is on the side with more room. */
function Mark({ share, text }: { readonly share: number; readonly text: string }): ReactNode {
  return (
    <span className={`timemark ${share > 0.5 ? "late" : ""}`} style={{ left: `${share * 100}%` }}>
      <span className="cut">{text}</span>
    </span>
  );
}

function Stack({ bar, most }: { readonly bar: TimeBar | undefined; readonly most: number }): ReactNode {
  return (
    <span className="stackbar">
      {bar?.parts.map(
        ([tone, count]) =>
          count > 0 && <i key={tone} className={tone} style={{ height: `max(2px, ${(count / most) * 100}%)` }} />,
      )}
    </span>
  );
}

function totalOf({ parts }: TimeBar): number {
  return parts.reduce((sum, [, count]) => sum + count, 0);
}

function barWords(atMs: number, bar: TimeBar | undefined, noun: string): string {
  const parts = bar?.parts.filter(([, count]) => count > 0).map(([tone, count]) => `${count} ${tone}`) ?? [];
  return `${timeWords(atMs)}: ${parts.length === 0 ? plural(0, noun) : parts.join(", ")}`;
}

function markWords({ atMs, text }: TimeMark): string {
  return `${text} from ${timeWords(atMs)} on`;
}

export function timeWords(atMs: number): string {
  return new Date(atMs).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}
