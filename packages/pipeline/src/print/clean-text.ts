/**
 * Text of models, tools and users, made safe for a terminal: no escape sequences, no control characters but newline and tab.
 *
 * @module
 */
type StripAnsi = (text: string) => string;

/** Longer than any sequence that somebody means. */
const maxHeldLength = 1024;

const controls = /[^\P{Cc}\t\n]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const introducer = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/u;
const openHalf = /[\uD800-\uDBFF]$/;

/** Sequences go as a whole, so nothing of them is left as text. */
export function cleanText(text: string, stripAnsi: StripAnsi): string {
  return stripAnsi(text).replace(controls, "");
}

/** The same for text that comes in pieces: a sequence or a character may be cut in two by them. */
export class CleanStream {
  readonly #stripAnsi: StripAnsi;
  #held = "";

  constructor(stripAnsi: StripAnsi) {
    this.#stripAnsi = stripAnsi;
  }

  push(piece: string): string {
    const text = this.#stripAnsi(this.#held + piece);
    const begun = text.search(introducer);
    const cut = begun >= 0 && text.length - begun <= maxHeldLength ? begun : text.length;
    const end = cut === text.length && openHalf.test(text) ? cut - 1 : cut;
    this.#held = text.slice(end);
    return text.slice(0, end).replace(controls, "");
  }

  /** What is left is no sequence. */
  end(): string {
    const text = cleanText(this.#held, this.#stripAnsi);
    this.#held = "";
    return text;
  }
}
