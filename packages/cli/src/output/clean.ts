/**
 * What may reach a terminal. Every text that is printed passes here, wherever it comes from: from a store, a server, a schema or an
 * error.
 *
 * Of the control sequences of terminals, only the colors of this process pass. They carry a mark that no stored text can contain, until
 * they are printed. Controls of other kinds are shown as `\ufffd`, and so are characters that are not seen and change how a text
 * reads, such as an override of its direction; the joiners of scripts and emoji stay.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { inspect } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Twelve hex digits. */
const own = randomBytes(6).toString("hex");

// biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with one
const colorOrUnseen = /\u{1b}([\da-f]{12})\[(\d{1,3})m|(\r?\n|\t)|\p{Cc}|[^\P{Cf}\u{200c}\u{200d}]/gu;
const unseen = /\p{Cc}|[^\P{Cf}\u{200c}\u{200d}]/gu;

/** A text in color, for {@link cleanText}. */
export function colored(style: Style, text: string): string {
  const [on, off] = inspect.colors[style] as [number, number];
  return `\u{1b}${own}[${on}m${text}\u{1b}${own}[${off}m`;
}

/** A text of any length as it is printed: with its lines, its tabs and the colors of {@link colored}. */
export function cleanText(text: string): string {
  return text.replace(colorOrUnseen, (found, ...groups: (string | undefined)[]) => {
    const [mark, color, kept] = groups;
    if (mark === own) return `\u{1b}[${color}m`;
    return kept ?? (mark === undefined ? "\ufffd" : found.replace(unseen, "\ufffd"));
  });
}

/** A text without colors, on one line. */
export function cleanLine(text: string): string {
  return text.replace(/\s/g, " ").replace(unseen, "\ufffd");
}

/** Equal JSON without control characters and invisible characters. */
export function cleanJson(json: string): string {
  return json.replace(unseen, (letter) => (/[\r\n\t]/.test(letter) ? letter : escaped(letter)));
}

function escaped(letter: string): string {
  const units = Array.from({ length: letter.length }, (_unit, index) => letter.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
