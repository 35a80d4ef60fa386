/** The transport: it moves the cursor of all views. */
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from "react";
import { type MarkKind, marksOf } from "../model/marks.js";
import type { RunStore } from "../model/run-store.js";
import { Button } from "../ui/controls.js";
import { clock, duration, grouped } from "../ui/format.js";
import type { IconName } from "../ui/icon.js";
import { useSizeOf } from "../ui/use-size.js";

export interface TransportProps {
  readonly run: RunStore;
  readonly tick: number;
  readonly isRunning: boolean;
  /** Whether the page shows the newest tick of an active run. */
  readonly isLive: boolean;
  readonly isPlaying: boolean;
  readonly onPlay: () => void;
  readonly onGo: (tick: number) => void;
  readonly atMs: number;
  readonly fromMs: number;
}

export function Transport(props: TransportProps): ReactNode {
  const { run, tick, isRunning, isLive, isPlaying, onPlay, onGo, atMs, fromMs } = props;
  const { first, last } = run;
  const isPast = tick < last;
  const share = ((tick - first) / Math.max(1, last - first)) * 100;
  const text = run.entries.length === 0 ? "" : run.lineAt(Math.max(0, run.indexOf(tick))).text;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={`transport ${isPast ? "past" : ""}`} role="group" aria-label="Time travel">
      <div className="btns">
        <Jump icon="first" label="First tick" to={first} isOff={tick <= first} onGo={onGo} />
        <Jump icon="prev" label="One tick back" to={tick - 1} isOff={tick <= first} onGo={onGo} />
        <Button
          kind="ghost"
          icon={isPlaying ? "pause" : "play"}
          aria-label={isPlaying ? "Pause" : "Play"}
          onClick={onPlay}
        />
        <Jump icon="next" label="One tick forward" to={tick + 1} isOff={!isPast} onGo={onGo} />
        <Jump icon="last" label="Last tick" to={last} isOff={!isPast} onGo={onGo} />
      </div>
      <div className="track">
        <Marks run={run} last={last} />
        <input
          type="range"
          min={first}
          max={Math.max(first, last)}
          value={tick}
          aria-label="Tick"
          aria-valuetext={`Tick ${tick} of ${last}: ${text}`}
          style={{ "--p": `${share}%` } as CSSProperties}
          onChange={(event) => onGo(Number(event.target.value))}
        />
      </div>
      <div className="wherebox">
        <div className="where num">
          <span>
            <b>Tick {grouped(tick)}</b> <span className="muted">of {grouped(last)}</span>{" "}
            {isPast ? <span className="pastl">Past</span> : isLive && <span className="s-running livel">● Live</span>}
          </span>
          <span className="muted">
            +{duration(Math.max(0, atMs - fromMs))}, {clock(atMs)}
          </span>
        </div>
        <Button isSmall className="now" disabled={!isPast} onClick={() => onGo(last)}>
          {isRunning ? "Now" : "End"}
        </Button>
      </div>
    </div>
  );
}

interface JumpProps {
  readonly icon: IconName;
  readonly label: string;
  readonly to: number;
  readonly isOff: boolean;
  readonly onGo: (tick: number) => void;
}

function Jump({ icon, label, to, isOff, onGo }: JumpProps): ReactNode {
  return <Button kind="ghost" icon={icon} aria-label={label} disabled={isOff} onClick={() => onGo(to)} />;
}

const heights: Readonly<Record<MarkKind, number>> = { failure: 15, question: 15, done: 9, tick: 4 };
const colours: Readonly<Record<MarkKind, string>> = {
  failure: "--failed-solid",
  question: "--waiting-solid",
  done: "--done-solid",
  tick: "--line-strong",
};
/** Half of the thumb: marks are at its center. */
const inset = 8;
const canvasHeight = 20;

/** All marks in one canvas, so that ten thousand ticks cost what a hundred do. */
function Marks({ run, last }: { readonly run: RunStore; readonly last: number }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSizeOf(canvas)?.width ?? 0;
  const [colourRound, setColourRound] = useState(0);
  useEffect(() => {
    const recolour = (): void => setColourRound((round) => round + 1);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const theme = new MutationObserver(recolour);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    scheme.addEventListener("change", recolour);
    return () => {
      theme.disconnect();
      scheme.removeEventListener("change", recolour);
    };
  }, []);
  const facts = run.facts;
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew with more ticks, other facts and other colours
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element == null || context == null || width === 0) return;
    const ratio = devicePixelRatio;
    element.width = Math.round(width * ratio);
    element.height = Math.round(canvasHeight * ratio);
    context.scale(ratio, ratio);
    const style = getComputedStyle(element);
    const marks = marksOf(run, width - 2 * inset);
    for (const kind of ["tick", "done", "question", "failure"] as const) {
      context.fillStyle = canvasColour(element, style.getPropertyValue(colours[kind]));
      for (const mark of marks) {
        if (mark.kind !== kind) continue;
        context.fillRect(inset + mark.x - 1, canvasHeight - 1 - heights[kind], 2, heights[kind]);
      }
    }
    element.dataset["marks"] = String(marks.length);
  }, [run, last, facts, width, colourRound]);
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it cannot be focused
  return <canvas ref={canvas} aria-hidden="true" />;
}

/** A canvas does not support `light-dark()`: the browser resolves it in a CSS property. */
function canvasColour(element: HTMLElement, value: string): string {
  element.style.color = value;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}
