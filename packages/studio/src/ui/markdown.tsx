/**
 * Markdown as a person reads it: headings, lists, quotes, code, emphasis, links. It makes elements, never HTML, so a text can do nothing
 * but be read. A link shows where it leads, and characters that are not seen are shown by their number.
 *
 * @module
 */
import type { ReactNode } from "react";
import { ExactText } from "./exact-text.js";

/** A longer text is shown as it is. */
const LONGEST = 200_000;

/** Whether a text has signs of Markdown. */
export function isMarkdown(text: string): boolean {
  return text.length <= LONGEST && /^(?:#{1,6} |[-*+] |\d{1,9}[.)] |> |```)|\*\*|`[^`\n]/m.test(text);
}

export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="markdown">
      {blocksOf(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have an order
        <Block key={index} block={block} />
      ))}
    </div>
  );
}

export type MarkdownBlock =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote" | "paragraph"; readonly text: string }
  | { readonly kind: "list"; readonly isNumbered: boolean; readonly items: readonly string[] };

/** Line by line, so that its cost follows the length of the text. */
export function blocksOf(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    if (line.startsWith("```")) {
      const end = lines.findIndex((one, index) => index > at && one.startsWith("```"));
      const stop = end === -1 ? lines.length : end;
      blocks.push({ kind: "code", text: lines.slice(at + 1, stop).join("\n") });
      at = stop + 1;
      continue;
    }
    if (line.trim() === "") {
      at++;
      continue;
    }
    const [, marks, title] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
    if (marks !== undefined) {
      blocks.push({ kind: "heading", level: marks.length, text: title as string });
      at++;
      continue;
    }
    const kind = kindOf(line);
    let end = at + 1;
    while (end < lines.length && continues(lines[end] as string, kind)) end++;
    blocks.push(blockOf(kind, lines.slice(at, end)));
    at = end;
  }
  return blocks;
}

type LineKind = "bullet" | "number" | "quote" | "paragraph";

function kindOf(line: string): LineKind {
  if (/^ {0,3}[-*+] /.test(line)) return "bullet";
  if (/^ {0,3}\d{1,9}[.)] /.test(line)) return "number";
  return line.startsWith(">") ? "quote" : "paragraph";
}

function continues(line: string, kind: LineKind): boolean {
  if (line.trim() === "" || line.startsWith("```") || /^#{1,6} /.test(line)) return false;
  return kindOf(line) === kind || (kind !== "paragraph" && /^ {2,}\S/.test(line));
}

function blockOf(kind: LineKind, lines: readonly string[]): MarkdownBlock {
  if (kind === "paragraph") return { kind, text: lines.join("\n") };
  if (kind === "quote") return { kind, text: lines.map((line) => line.replace(/^> ?/, "")).join("\n") };
  const items: string[] = [];
  for (const line of lines) {
    if (kindOf(line) === kind) items.push(line.replace(/^ {0,3}(?:[-*+]|\d{1,9}[.)]) /, ""));
    else items[items.length - 1] += `\n${line.trim()}`;
  }
  return { kind: "list", isNumbered: kind === "number", items };
}

function Block({ block }: { readonly block: MarkdownBlock }): ReactNode {
  switch (block.kind) {
    case "heading":
      // The headings of a text stand below those of the page.
      return block.level < 3 ? <h4>{inlineOf(block.text)}</h4> : <h5>{inlineOf(block.text)}</h5>;
    case "code":
      return (
        <pre>
          <code>
            <ExactText text={block.text} />
          </code>
        </pre>
      );
    case "quote":
      return <blockquote>{inlineOf(block.text)}</blockquote>;
    case "list": {
      const items = block.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have an order
        <li key={index}>{inlineOf(item)}</li>
      ));
      return block.isNumbered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    default:
      return <p>{inlineOf(block.text)}</p>;
  }
}

/** Code, bold, emphasis and links, each within a line. Linear: no part of it can begin in two ways. */
const inline =
  /(`[^`\n]{1,1000}`|\*\*[^*\n]{1,1000}\*\*|\*[^*\s\n][^*\n]{0,999}\*|\[[^[\]\n]{1,500}\]\([^()\s]{1,2000}\))/;

function inlineOf(text: string): ReactNode {
  return text.split(inline).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have an order
    if (index % 2 === 0) return <ExactText key={index} text={part} />;
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    return <Inline key={index} part={part} />;
  });
}

function Inline({ part }: { readonly part: string }): ReactNode {
  if (part.startsWith("`"))
    return (
      <code>
        <ExactText text={part.slice(1, -1)} />
      </code>
    );
  if (part.startsWith("**"))
    return (
      <strong>
        <ExactText text={part.slice(2, -2)} />
      </strong>
    );
  if (part.startsWith("*"))
    return (
      <em>
        <ExactText text={part.slice(1, -1)} />
      </em>
    );
  const [, label = "", target = ""] = /^\[([^\]]*)\]\((.*)\)$/.exec(part) ?? [];
  const isWeb = /^https?:\/\//i.test(target) && URL.canParse(target);
  const shown = label === target ? "" : ` (${target})`;
  if (!isWeb) return <ExactText text={`${label}${shown}`} />;
  return (
    <>
      <a href={target} target="_blank" rel="noopener noreferrer nofollow">
        <ExactText text={label} />
      </a>
      <span className="muted">
        <ExactText text={shown} />
      </span>
    </>
  );
}
