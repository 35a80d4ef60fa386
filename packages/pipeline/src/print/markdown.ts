/** Renders Markdown for a terminal with the library `markdansi`. */
import { WorkflowError } from "millrace";
import { cleanText } from "./clean-text.js";

/** Returns lines without a blank one at the beginning or the end. */
export type RenderMarkdown = (markdown: string) => string;

interface MarkdownSetup {
  readonly width: number;
  readonly color: boolean;
  readonly stripAnsi: (text: string) => string;
  /** `true`: a missing library is an error. */
  readonly wanted: true | "if there";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const colorCode = /(\u001b\[[\d;]*m)/;
/** Numeric entities of ESC and CSI, which Markdown would convert to the characters. */
const escapeEntity = /&(?=#(?:x0*[19]b|0*27|0*155)(?:;|\b))/gi;

/** @throws {WorkflowError} `OPTION_INVALID` */
export async function loadMarkdown({ width, color, stripAnsi, wanted }: MarkdownSetup): Promise<RenderMarkdown | null> {
  const library = await import("markdansi").catch((cause: unknown) => {
    if (wanted === "if there") return null; // an optional peer: being in a terminal does not require it
    throw missing(cause);
  });
  if (library === null) return null;
  const render = library.createRenderer({ width, color, hyperlinks: false });
  return (markdown) => {
    try {
      return onlyColors(render(markdown.replace(escapeEntity, "&amp;")), stripAnsi).replace(/^\n+|\n+$/g, "");
    } catch {
      return markdown; // the library fails on text with thousands of levels or lines, which is still readable
    }
  };
}

/** Removes sequences other than colours: the renderer may have made them from entities. */
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
