/**
 * Makes text of models, tools and users safe for a terminal: removes escape sequences, control characters except
 * newline and tab, and characters that change the direction of a text.
 *
 * @module
 */
import stripAnsi from "strip-ansi";

/** Longer than any real escape sequence. */
const maxHeldLength = 1024;

/** Also what is not seen and changes how a text reads, such as an override of its direction. Joiners of letters stay. */
const controls = /[^\P{Cc}\t\n]|[^\P{Cf}\u200c\u200d]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const introducer = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/u;
const openHalf = /[\uD800-\uDBFF]$/;

/** Removes whole sequences, so that nothing of them is left as text. */
export function cleanText(text: string): string {
  return stripAnsi(text).replace(controls, "");
}

/** Cleans text that arrives in pieces, which may cut a sequence or a character in two. */
export class CleanStream {
  #held = "";

  push(piece: string): string {
    const text = stripAnsi(this.#held + piece);
    const begun = text.search(introducer);
    const cut = begun >= 0 && text.length - begun <= maxHeldLength ? begun : text.length;
    const end = cut === text.length && openHalf.test(text) ? cut - 1 : cut;
    this.#held = text.slice(end);
    return text.slice(0, end).replace(controls, "");
  }

  /** Returns the held text: it is not the start of a sequence. */
  end(): string {
    const text = cleanText(this.#held);
    this.#held = "";
    return text;
  }
}
