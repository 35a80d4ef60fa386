/** Puts the studio into its page. */
import { options } from "preact";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme } from "./shell/theme.js";

// Effects run before the next event, not after the next frame: what a key has changed, such as the focus, is there for the key after it.
const runSoon = (run: () => void): void => queueMicrotask(run);

export function show(studio: ReactNode): void {
  options.requestAnimationFrame = runSoon;
  applyTheme();
  createRoot(document.getElementById("root") as HTMLElement).render(<StrictMode>{studio}</StrictMode>);
}
