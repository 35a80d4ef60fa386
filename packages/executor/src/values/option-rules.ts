/** Rules for options that agents and pipelines have. */
import { type Rule, text, valueRule, wholeNumber } from "millrace/engine";

/** The number of earlier runs is limited, because each is a read of the store. */
export const historyRuns: Rule = wholeNumber(0, 1_000);

/**
 * The id of a user, which an agent may put into the text that its model obeys: a line end in it could begin an instruction there.
 * Its source becomes JSON Schema, whose readers may lack character classes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
export const userIdPattern: RegExp = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/u;

export const userId: Rule = (value, option) => (typeof value === "string" ? printable : text)(value, option);

const printable: Rule = valueRule(
  (value) => userIdPattern.test(value as string),
  "a text without line ends and other control characters",
);
