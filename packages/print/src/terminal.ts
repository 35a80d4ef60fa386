/**
 * Properties of a terminal, resolved once: colours, width, and the optional library for Markdown.
 *
 * @module
 */

import { WorkflowError } from "millrace";
import { cleanText } from "./clean-text.js";

interface Style {
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
}

/** @throws {WorkflowError} `OPTION_INVALID` when Markdown is requested and its library is not installed. */
export async function openTerminal(options: PrintOptions): Promise<Terminal> {
  const { out = globalThis.process.stdout, stream = true, showSteps = false, showMetrics = false } = options;
  const isTerminal = out.isTTY === true;
  const color = isTerminal && !globalThis.process?.env["NO_COLOR"];
  const wanted = options.markdown ?? (isTerminal ? "if there" : false);
  const render = wanted === false ? null : await loadMarkdown({ width: out.columns || 80, color, wanted });
  return { out, style: styleOf(color), render, stream, showSteps, showMetrics };
}

function styleOf(color: boolean): Style {
  const between = (on: number, off: number) => (text: string) => (color ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { bold: between(1, 22), dim: between(2, 22), red: between(31, 39) };
}

/** Where to print. `process.stdout` has this shape. */
export interface PrintTarget {
  write(text: string): unknown;
  /** `true` turns on colours, and Markdown unless the option says otherwise. */
  readonly isTTY?: boolean;
  /** Width at which rendered Markdown wraps. @default 80 */
  readonly columns?: number;
}

export interface PrintOptions {
  /**
   * Renders texts as Markdown. Needs the package `markdansi`; without it, a terminal shows the plain text.
   *
   * @default true in a terminal, else false
   */
  readonly markdown?: boolean;
  /**
   * Prints text of agents, teams and generators while it arrives; with `markdown`, one paragraph, list or code block at
   * a time. `false`: prints it when the step has ended.
   *
   * @default true
   */
  readonly stream?: boolean;
  /**
   * Prints a line when a step or a group begins and ends. The run must have been started with `streamEvents`.
   * @default false
   */
  readonly showSteps?: boolean;
  /** Prints a table of each step's metrics at the end. @default false */
  readonly showMetrics?: boolean;
  /** @default process.stdout */
  readonly out?: PrintTarget;
}

/** Returns lines without a blank one at the beginning or the end. */
type RenderMarkdown = (markdown: string) => string;

interface MarkdownSetup {
  readonly width: number;
  readonly color: boolean;
  /** `true`: a missing library is an error. */
  readonly wanted: true | "if there";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const colorCode = /(\u001b\[[\d;]*m)/;
/** Numeric entities of ESC and CSI, which Markdown would convert to the characters. */
const escapeEntity = /&(?=#(?:x0*[19]b|0*27|0*155)(?:;|\b))/gi;

/** @throws {WorkflowError} `OPTION_INVALID` */
async function loadMarkdown({ width, color, wanted }: MarkdownSetup): Promise<RenderMarkdown | null> {
  const library = await import("markdansi").catch((cause: unknown) => {
    if (wanted === "if there") return null; // an optional peer: being in a terminal does not require it
    throw missing(cause);
  });
  if (library === null) return null;
  const render = library.createRenderer({ width, color, hyperlinks: false });
  return (markdown) => {
    try {
      return onlyColors(render(markdown.replace(escapeEntity, "&amp;"))).replace(/^\n+|(?<!\n)\n+$/g, "");
    } catch {
      return markdown; // the library fails on text with thousands of levels or lines, which is still readable
    }
  };
}

/** Removes sequences other than colours: the renderer may have made them from entities. */
function onlyColors(rendered: string): string {
  const parts = rendered.split(colorCode);
  return parts.map((part, index) => (index % 2 === 1 ? part : cleanText(part))).join("");
}

function missing(cause: unknown): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: 'The option `markdown` needs the package "markdansi", which cannot be loaded.',
    hint: "Install it (npm install markdansi), or print with `markdown: false`.",
    cause,
  });
}
