/**
 * Markdown (and plain text, which is Markdown too) to sections: a title and its prose.
 *
 * @module
 */
import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toString as textOf } from "mdast-util-to-string";
import { gfm } from "micromark-extension-gfm";

export interface SectionText {
  readonly title: string;
  readonly text: string;
}

/** Sections without prose (only code, or a table) are left out. Text before the first heading is named `title`. */
export function sectionsOf(markdown: string, title: string): SectionText[] {
  const root: Root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const sections = [{ title, paragraphs: [] as string[] }];
  for (const node of root.children) {
    if (node.type === "heading") sections.push({ title: textOf(node), paragraphs: [] });
    else sections.at(-1)?.paragraphs.push(...proseOf(node));
  }
  return sections
    .filter(({ paragraphs }) => paragraphs.length > 0)
    .map(({ title, paragraphs }) => ({ title, text: paragraphs.join("\n") }));
}

function proseOf(node: Nodes): string[] {
  if (node.type === "paragraph") return [asSentence(textOf(node))];
  if (node.type === "list" || node.type === "listItem" || node.type === "blockquote")
    return node.children.flatMap(proseOf);
  return [];
}

/** The last line of a list item often lacks its full stop. */
function asSentence(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return /[.!?:…]$/.test(line) ? line : `${line}.`;
}
