/** Lanes of steps along the time, with the cursor over them. Only what can be seen is drawn. */
import { type CSSProperties, type PointerEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { drawnBars, laneTops } from "../model/drawn-bars.js";
import { callOf } from "../model/log-entry-text.js";
import type { ItemKey } from "../model/run-data.js";
import { axisOf, type TimeScale } from "../model/time-scale.js";
import type { Bar, Lane } from "../model/timeline.js";
import { hrefOf } from "../route.js";
import { Switch } from "../ui/controls.js";
import { duration, plural } from "../ui/format.js";
import { useSizeOf } from "../ui/use-size.js";
import { useWindowOf } from "./use-window.js";

export interface TimelineViewProps {
  readonly lanes: readonly Lane[];
  readonly scale: TimeScale;
  readonly folds: boolean;
  readonly onFold: (folds: boolean) => void;
  /** Time of the cursor. */
  readonly atMs: number;
  readonly selected: string | null;
  readonly onSelect: (step: string | null, item?: ItemKey, call?: string) => void;
  readonly onGo: (tick: number) => void;
  /** The handler of the run. */
  readonly rootId: string;
  /** Opens a choice of children. */
  readonly onChildren: (runIds: readonly string[]) => void;
}

const rowHeight = 15;
const lanePadding = 13;

export function TimelineView(props: TimelineViewProps): ReactNode {
  const { lanes, scale, folds, onFold } = props;
  return (
    <section className="pane p-time" aria-labelledby="h-time">
      <div className="panehead">
        <h2 id="h-time">Timeline</h2>
        <span className="sp" />
        {scale.gaps.length > 0 && (
          <Switch className="sm" isOn={folds} onChange={onFold}>
            Fold waits
          </Switch>
        )}
      </div>
      {lanes.length === 0 ? <div className="empty">No step has started yet.</div> : <Lanes {...props} />}
    </section>
  );
}

function Lanes({ lanes, scale, atMs, selected, onSelect, onGo, rootId, onChildren }: TimelineViewProps): ReactNode {
  const box = useRef<HTMLElement>(null);
  const seen = useWindowOf(box);
  const track = useRef<HTMLDivElement>(null);
  const width = useSizeOf(track)?.width ?? 800;
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const tops = useMemo(() => laneTops(lanes, { rowHeight, padding: lanePadding }), [lanes]);
  const axis = useMemo(() => axisOf(scale), [scale]);
  const cursor = scale.place(atMs);
  const cursorText = `+${duration(Math.max(0, atMs - scale.fromMs))}`;
  const isUnder = (share: number): boolean => {
    const label = (cursorText.length * LETTER + 14) / width;
    const from = cursor > END ? cursor - label : cursor < BEGIN ? cursor : cursor - label / 2;
    return share > from - MARK / width && share < from + label + MARK / width;
  };
  const hover = (event: PointerEvent<HTMLDivElement>): void => {
    const bar = barAt(lanes, event.target);
    setHovered(bar === undefined ? null : { ...bar, x: event.clientX, y: event.clientY });
  };
  const press = (event: { target: EventTarget }): void => {
    const bar = barAt(lanes, event.target);
    if (bar === undefined) return;
    const { runId, item } = bar.bar.attempt;
    onGo(bar.bar.fromTick);
    onSelect(bar.lane.step, { runId, item }, bar.bar.call?.call);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="scroll" ref={box} tabIndex={0} id="time" aria-label="Timeline, scrollable">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a step is chosen by its button, a tick by the slider */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div className="tl" onPointerMove={hover} onPointerLeave={() => setHovered(null)} onClick={press}>
        <div className="corner" style={{ gridRow: 1, gridColumn: 1 }} />
        <div className="axis" style={{ gridRow: 1 }} aria-hidden="true" ref={track}>
          {axis
            .filter(({ share, foldedMs }) => foldedMs !== null || !isUnder(share))
            .map(({ share, offsetMs, foldedMs }) =>
              foldedMs === null ? (
                <span key={offsetMs} style={{ left: percent(share) }}>
                  {axisText(offsetMs)}
                </span>
              ) : (
                <span
                  key={`fold ${offsetMs}`}
                  className="fold"
                  style={{ left: percent(share) }}
                  title={`Nothing ran for ${duration(foldedMs)}`}
                >
                  ⋯ {duration(foldedMs)}
                </span>
              ),
            )}
        </div>
        {lanes.map((lane, index) => (
          <LaneRow
            key={lane.key}
            lane={lane}
            row={index + 2}
            isSelected={selected === lane.step}
            {...{ onSelect, rootId, onChildren, scale, atMs }}
            bars={drawnBars(lane, { scale, width, seen, top: (tops[index] ?? 0) + axisHeight, rowHeight })}
          />
        ))}
        <div className="overlay under" aria-hidden="true" style={{ gridRow: `1 / span ${lanes.length + 1}` }}>
          {scale.folded.map(({ fromMs, toMs }) => (
            <div
              key={fromMs}
              className="brk"
              style={{ left: percent(scale.place(fromMs)), width: percent(scale.place(toMs) - scale.place(fromMs)) }}
            />
          ))}
        </div>
        <div className="overlay" aria-hidden="true" style={{ gridRow: `1 / span ${lanes.length + 1}` }}>
          <div
            className={`cursor ${cursor > END ? "end" : ""} ${cursor < BEGIN ? "begin" : ""}`}
            style={{ left: percent(cursor) }}
            data-t={cursorText}
          />
        </div>
      </div>
      {hovered !== null && <Tip {...hovered} scale={scale} />}
    </section>
  );
}

const axisHeight = 24;
/** From these shares of the width on, the time of the cursor stands beside its line. */
const [BEGIN, END] = [0.06, 0.92];
/** Pixels of a letter, and of half of the text of a mark. */
const [LETTER, MARK] = [6.2, 22];
const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

function axisText(ms: number): string {
  if (ms === 0) return "0 s";
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms < 3_600_000) return ms % 60_000 === 0 ? `${ms / 60_000} min` : duration(ms);
  return ms < 86_400_000 ? `${Number((ms / 3_600_000).toFixed(1))} h` : `${Number((ms / 86_400_000).toFixed(1))} d`;
}

interface LaneRowProps extends Pick<TimelineViewProps, "onSelect" | "rootId" | "onChildren" | "scale" | "atMs"> {
  readonly lane: Lane;
  readonly row: number;
  readonly isSelected: boolean;
  readonly bars: readonly number[];
}

function LaneRow(props: LaneRowProps): ReactNode {
  const { lane, row, isSelected, onSelect, bars, scale, atMs } = props;
  const { step, label, child, depth, items, retries, failures, rows } = lane;
  const sel = isSelected ? "sel" : "";
  const attempts = items + retries;
  return (
    <>
      <div
        className={`lane-l ${depth > 0 ? "child" : ""} ${sel}`}
        style={{ gridRow: row, gridColumn: 1, "--depth": depth } as CSSProperties}
        title={child === null ? label : `${child} › ${label}`}
      >
        {child !== null && <ChildLink {...props} name={child} />}
        <button type="button" aria-pressed={isSelected} onClick={() => onSelect(isSelected ? null : step)}>
          <span className="cut">{label}</span>
          <span className="c num">
            {items > 1 && `×${items}`}
            {retries > 0 && ` ↻${retries}`}
          </span>
        </button>
      </div>
      <div
        className={`lane ${sel}`}
        role="img"
        aria-label={`${label}: ${plural(items, "item")}, ${plural(attempts, "attempt")}, ${failures} failed`}
        style={{ gridRow: row, gridColumn: 2, minHeight: rows * rowHeight + lanePadding }}
      >
        {bars.map((index) => (
          <BarMark key={index} lane={lane} index={index} scale={scale} atMs={atMs} />
        ))}
      </div>
    </>
  );
}

/** To the page of the child that the lane is of, or to a choice where it is of several. */
function ChildLink({ lane, rootId, onChildren, name }: LaneRowProps & { readonly name: string }): ReactNode {
  const [only, ...others] = lane.runIds;
  const label = (
    <>
      <span className="cut">{name}</span> ›
    </>
  );
  if (only !== undefined && others.length === 0)
    return (
      <a className="childlink" href={hrefOf("child", rootId, only)} aria-label={`Open child run ${only} of ${name}`}>
        {label}
      </a>
    );
  return (
    <button
      type="button"
      className="childlink"
      aria-label={`Open a child run of ${name}`}
      onClick={() => onChildren(lane.runIds)}
    >
      {label}
    </button>
  );
}

/** Class and label of a bar. */
const looks: Readonly<Record<Bar["kind"], readonly [className: string, words: string]>> = {
  done: ["done", "completed"],
  failed: ["failed", "failed after all retries"],
  retried: ["failed retried", "failed, tried again"],
  running: ["running", "running"],
  queued: ["queued", "queued"],
  cancelled: ["cancelled", "stopped"],
  waiting: ["wait", "waits"],
  child: ["wait child", "waits for a child run"],
  retry: ["retry", "until the next attempt"],
};

interface BarMarkProps {
  readonly lane: Lane;
  readonly index: number;
  readonly scale: TimeScale;
  readonly atMs: number;
}

function BarMark({ lane, index, scale, atMs }: BarMarkProps): ReactNode {
  const { kind, row, fromMs, toMs, call } = lane.bars[index] as Bar;
  const from = scale.place(fromMs);
  const to = scale.place(toMs ?? scale.toMs);
  return (
    <i
      className={`bar ${looks[kind][0]} ${call === null ? "" : "call"} ${fromMs > atMs ? "future" : ""}`}
      data-bar={`${lane.key} ${index}`}
      style={{ left: percent(from), width: percent(Math.max(to - from, 0.0005)), top: 9 + row * rowHeight }}
    />
  );
}

interface BarOfLane {
  readonly lane: Lane;
  readonly bar: Bar;
}

function barAt(lanes: readonly Lane[], target: EventTarget): BarOfLane | undefined {
  const { bar: key = "" } = (target as HTMLElement).dataset;
  const cut = key.lastIndexOf(" ");
  const lane = lanes.find((one) => one.key === key.slice(0, cut));
  const bar = lane?.bars[Number(key.slice(cut + 1))];
  return lane === undefined || bar === undefined ? undefined : { lane, bar };
}

interface Hovered extends BarOfLane {
  readonly x: number;
  readonly y: number;
}

function Tip({ lane, bar, x, y, scale }: Hovered & { readonly scale: TimeScale }): ReactNode {
  const { attempt, attempts, kind, fromMs, toMs, call } = bar;
  const error = call === null ? attempt.error : call.error;
  const length = duration((toMs ?? scale.toMs) - fromMs);
  const of = attempts > 1 ? `, attempt ${attempt.attempt} of ${attempts}` : "";
  const side = x > innerWidth / 2 ? { right: innerWidth - x + 14 } : { left: x + 14 };
  const edge = y > innerHeight / 2 ? { bottom: innerHeight - y + 14 } : { top: y + 16 };
  return (
    <div className="tip" aria-hidden="true" style={{ ...side, ...edge }}>
      <b>{lane.label}</b>
      <span className="muted num">
        item {attempt.item}
        {of}
      </span>
      {call !== null && (
        <span>
          {callOf(call)}
          {call.attempts > 1 && `, attempt ${call.attempts}`}
        </span>
      )}
      <span className="num">
        +{duration(fromMs - scale.fromMs)} · {length}
        {toMs === null ? " so far" : ""} · {looks[kind][1]}
      </span>
      {error !== null && <span className="s-failed">{error.message}</span>}
    </div>
  );
}
