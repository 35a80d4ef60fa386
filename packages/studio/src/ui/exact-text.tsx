import type { ReactNode } from "react";

/**
 * Characters that change how a text looks without being seen: controls, and what formats, such as an override of the direction. The
 * joiners of scripts and emoji stay, because they change nothing but the letters beside them.
 */
const unseen = /([^\P{Cc}\t\n]|[^\P{Cf}\u200c\u200d])/u;

/** A text that a person decides on: each character that is not seen is shown by its number. */
export function ExactText({ text }: { readonly text: string }): ReactNode {
  return text.split(unseen).map((part, index) => {
    if (index % 2 === 0) return part;
    const code = `U+${(part.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
    return <mark key={index}>{code}</mark>;
  });
}
