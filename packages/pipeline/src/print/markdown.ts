/** Markdown as text for a terminal, by the library `markdansi`. */
import { WorkflowError } from "millrace";
import { cleanText } from "./clean-text.js";

/** Gives lines without a blank one before or behind them. */
export type RenderMarkdown = (markdown: string) => string;

interface MarkdownSetup {
  readonly width: number;
  readonly color: boolean;
  readonly stripAnsi: (text: string) => string;
  /** `true`: to do without it is an error. */
  readonly wanted: true | "if there";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const colorCode = /(\u001b\[[\d;]*m)/;
/** ESC and CSI as numbers: Markdown would turn them into the characters. */
const escapeEntity = /&(?=#(?:x0*[19]b|0*27|0*155)(?:;|\b))/gi;

/** @throws {WorkflowError} `OPTION_INVALID` */
export async function loadMarkdown({ width, color, stripAnsi, wanted }: MarkdownSetup): Promise<RenderMarkdown | null> {
  const library = await import("markdansi").catch((cause: unknown) => {
    if (wanted === "if there") return null; // an optional peer: a terminal alone is no wish for it
    throw missing(cause);
  });
  if (library === null) return null;
  const render = library.createRenderer({ width, color, hyperlinks: false });
  return (markdown) => {
    try {
      return onlyColors(render(markdown.replace(escapeEntity, "&amp;")), stripAnsi).replace(/^\n+|\n+$/g, "");
    } catch {
      return markdown; // text on which the library gives up (thousands of levels or lines) can still be read
    }
  };
}

/** Characters that entities stand for come out of the renderer alone. */
function onlyColors(rendered: string, stripAnsi: (text: string) => string): string {
  const parts = rendered.split(colorCode);
  return parts.map((part, index) => (index % 2 === 1 ? part : cleanText(part, stripAnsi))).join("");
}

function missing(cause: unknown): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: 'The option `markdown` needs the package "markdansi", which cannot be loaded.',
    hint: "Install it (npm install markdansi), or print with `markdown: false`.",
    cause,
  });
}
