import { useLayoutEffect, useRef } from "react";

/** Says `true` when it has used the key. */
export type KeyHandler = (event: KeyboardEvent) => boolean;

const handlers: { current: KeyHandler }[] = [];

/** Handles keys while the component is mounted, but not while a person types or below a dialog. The newest handler comes first. */
export function useKeys(handler: KeyHandler): void {
  const latest = useRef(handler);
  latest.current = handler;
  // With the first picture, not after it: what can be seen can be used.
  useLayoutEffect(() => {
    handlers.push(latest);
    if (handlers.length === 1) addEventListener("keydown", onKey);
    return () => {
      handlers.splice(handlers.indexOf(latest), 1);
      if (handlers.length === 0) removeEventListener("keydown", onKey);
    };
  }, []);
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]") !== null) return;
  const target = targetOf(event);
  if (isWriting(target)) {
    if (event.key === "Escape" && target instanceof HTMLElement) target.blur();
    return;
  }
  if (ownsKey(target, event)) return;
  for (const handler of handlers.toReversed()) {
    if (!handler.current(event)) continue;
    event.preventDefault();
    return;
  }
}

/** A browser closes a dialog before it restores the focus: a key in between would go to the closed dialog. */
function targetOf({ target }: KeyboardEvent): Element {
  return target instanceof Element && target.closest("dialog:not([open])") === null ? target : document.body;
}

function isWriting(target: Element): boolean {
  return target.matches("input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]");
}

/** A control that does something with the key by itself. */
function ownsKey(target: Element, { key, shiftKey }: KeyboardEvent): boolean {
  const isArrow = key.startsWith("Arrow");
  if (target.matches("input[type=range]")) return !shiftKey && (isArrow || key === "Home" || key === "End");
  if (target.matches("input[type=radio]")) return isArrow;
  return (key === " " || key === "Enter") && target.closest("button, a, input, summary") !== null;
}
