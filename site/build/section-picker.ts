/**
 * `<!-- section picker: Framework -->` in a page lets readers choose one of the sections below it. The page itself stays as it is, on
 * GitHub and for assistants; without JavaScript the picker is a list of links.
 */
import type { MarkdownRenderer } from "vitepress";
import type { Choice } from "../.vitepress/theme/section-picker.ts";

type Token = InstanceType<MarkdownRenderer["core"]["State"]["prototype"]["Token"]>;

const marker = /^<!-- section picker: (.+) -->\n$/;

/** Each section of level 2 below the marker is an element of its own, which the picker hides and shows. */
export function sectionPicker({ core }: MarkdownRenderer): void {
  core.ruler.push("section-picker", (state) => {
    const at = state.tokens.findIndex(({ type, content }) => type === "html_block" && marker.test(content));
    const mark = state.tokens[at];
    if (mark === undefined) return;
    const html = (content: string): Token => Object.assign(new state.Token("html_block", "", 0), { content });
    const [intro = [], ...sections] = sectionsOf(state.tokens.slice(at + 1));
    const choices = sections.map(choiceOf);
    state.tokens = [
      ...state.tokens.slice(0, at),
      html(`<SectionPicker label="${marker.exec(mark.content)?.[1]}" :choices='${attribute(choices)}' />\n`),
      ...intro,
      ...sections.flatMap((section, index) => [
        html(`<div class="picked-section" data-section="${choices[index]?.id}">\n`),
        ...section,
        html("</div>\n"),
      ]),
    ];
  });
}

/** What stands before the first heading of level 2, then each heading with what is below it. */
function sectionsOf(tokens: readonly Token[]): Token[][] {
  const sections: Token[][] = [[]];
  for (const token of tokens) {
    if (token.type === "heading_open" && token.tag === "h2") sections.push([]);
    sections.at(-1)?.push(token);
  }
  return sections;
}

function choiceOf([open, inline]: Token[]): Choice {
  return { id: String(open?.attrGet("id")), name: inline?.content ?? "" };
}

function attribute(choices: readonly Choice[]): string {
  return JSON.stringify(choices).replaceAll("&", "&amp;").replaceAll("'", "&#39;");
}
