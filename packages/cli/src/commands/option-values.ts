import { CliError } from "../output/cli-error.js";

/** `name=value`, each. @throws {CliError} `OPTION_INVALID` */
export function labelsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(given.map(labelOf));
}

function labelOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CliError({
    code: "OPTION_INVALID",
    message: `\`--label\` is ${JSON.stringify(text)}, without a name and a value.`,
    hint: "Write `--label name=value`.",
  });
}

/** @throws {CliError} `OPTION_INVALID` */
export function wholeNumber(option: string, text: string, [least, most]: readonly [number, number]): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new CliError({
    code: "OPTION_INVALID",
    message: `\`--${option}\` is ${JSON.stringify(text)}.`,
    hint: `Give a whole number from ${least} to ${most}.`,
  });
}
