/** Links of Markdown: those of the documents are relative to the file, which works on GitHub and nowhere else. */
const fence = /^( *(?:```|~~~)[\s\S]*?^ *(?:```|~~~) *$)/m;
/** Code within a line, which is left alone, or a link: its text, its target and its title. */
const codeOrLink = /(`+)(?:(?!\1)[\s\S])+?\1|(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)((?:\s+"[^"]*")?)\)/g;

/** Changes a document, but not its blocks of code. */
export function outsideOfCode(markdown, change) {
  return markdown
    .split(fence)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}

/**
 * Gives relative links another target. `null` leaves their text, without a link.
 *
 * @param {string} markdown
 * @param {(target: string) => string | null} targetOf Not called for `#…` and for addresses such as `https:…`.
 */
export function withOtherLinks(markdown, targetOf) {
  return outsideOfCode(markdown, (prose) =>
    prose.replace(codeOrLink, (all, _ticks, image, text, target, title) => {
      if (target === undefined || /^([a-z][a-z+.-]*:|#)/i.test(target)) return all;
      const other = targetOf(target);
      if (other === null) return image ? "" : text;
      return `${image}[${text}](${other}${title})`;
    }),
  );
}
