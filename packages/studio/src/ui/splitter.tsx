/** A border between two panes that is moved with the pointer or the arrow keys. Its place is remembered by the browser. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { ofBrowser } from "../browser-memory.js";

export interface Pane {
  /** Pixels; `null` until it is moved for the first time. */
  readonly size: number | null;
  readonly set: (size: number | null) => void;
}

/** @param name Under which its size is remembered. */
export function usePaneSize(name: string): Pane {
  const key = `millrace.pane.${name}`;
  const [size, setSize] = useState<number | null>(() => Number(ofBrowser.get(key)) || null);
  const set = (next: number | null): void => {
    setSize(next);
    ofBrowser.set(key, next === null ? null : String(Math.round(next)));
  };
  return { size, set };
}

export interface SplitterProps {
  readonly label: string;
  /** `vertical`: a line from top to bottom, moved sideways. The pane is the one after it. */
  readonly orientation: "vertical" | "horizontal";
  readonly pane: Pane;
  readonly least: number;
}

const STEP = 24;

export function Splitter({ label, orientation, pane, least }: SplitterProps): ReactNode {
  const isVertical = orientation === "vertical";
  const sizeOf = (line: Element): number => {
    const { width = 0, height = 0 } = line.nextElementSibling?.getBoundingClientRect() ?? {};
    return isVertical ? width : height;
  };
  const mostOf = (line: Element): number => {
    const { width = 0, height = 0 } = line.parentElement?.getBoundingClientRect() ?? {};
    return (isVertical ? width : height) - 240; // the other pane stays usable
  };
  const resize = (line: Element, size: number): void =>
    pane.set(Math.max(least, Math.min(Math.max(least, mostOf(line)), size)));
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    const line = event.currentTarget;
    line.setPointerCapture(event.pointerId);
    const [from, size] = [isVertical ? event.clientX : event.clientY, sizeOf(line)];
    const move = (moved: globalThis.PointerEvent): void =>
      resize(line, size + from - (isVertical ? moved.clientX : moved.clientY));
    line.addEventListener("pointermove", move);
    line.addEventListener("lostpointercapture", () => line.removeEventListener("pointermove", move), { once: true });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const [more, less] = isVertical ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (event.key === "Home") pane.set(null);
    else if (event.key === more || event.key === less)
      resize(event.currentTarget, sizeOf(event.currentTarget) + (event.key === more ? STEP : -STEP));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> takes no focus
    <div
      role="separator"
      className={`splitter ${orientation}`}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={pane.size ?? 0}
      tabIndex={0}
      title="Drag it, or use the arrow keys. Double-click: as at first"
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={() => pane.set(null)}
    />
  );
}
