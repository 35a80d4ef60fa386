/**
 * Properties of a terminal, resolved once: colours, width, and the libraries, which are loaded on first use.
 *
 * The libraries are ESM only. `import()` loads them from the CommonJS build, too, on every version of Node.
 *
 * @module
 */
import { cleanText } from "./clean-text.js";
import { loadMarkdown, type RenderMarkdown } from "./markdown.js";
import type { PrintOptions, PrintTarget } from "./print-options.js";

export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
}

/** Options with their defaults. */
export interface Terminal {
  readonly out: PrintTarget;
  readonly style: Style;
  /** `null`: texts are printed as they are. */
  readonly render: RenderMarkdown | null;
  readonly stream: boolean;
  readonly showSteps: boolean;
  readonly showMetrics: boolean;
  readonly stripAnsi: (text: string) => string;
  readonly clean: (text: string) => string;
  readonly widthOf: (text: string) => number;
  readonly nowMs: () => number;
}

/** @throws {WorkflowError} `OPTION_INVALID` when Markdown is requested and its library is not installed. */
export async function openTerminal(options: PrintOptions): Promise<Terminal> {
  const { out = globalThis.process.stdout, stream = true, showSteps = false, showMetrics = false } = options;
  const isTerminal = out.isTTY === true;
  const color = isTerminal && !globalThis.process?.env["NO_COLOR"];
  const [{ default: stripAnsi }, { default: widthOf }] = await Promise.all([
    import("strip-ansi"),
    import("string-width"),
  ]);
  const wanted = options.markdown ?? (isTerminal ? "if there" : false);
  const render = wanted === false ? null : await loadMarkdown({ width: out.columns || 80, color, stripAnsi, wanted });
  const clean = (text: string) => cleanText(text, stripAnsi);
  const style = styleOf(color);
  return { out, style, render, stream, showSteps, showMetrics, stripAnsi, clean, widthOf, nowMs: Date.now };
}

function styleOf(color: boolean): Style {
  const between = (on: number, off: number) => (text: string) => (color ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { bold: between(1, 22), dim: between(2, 22), red: between(31, 39) };
}
