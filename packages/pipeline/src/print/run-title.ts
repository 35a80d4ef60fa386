import { isEmptyContent, toText } from "../data/text.js";
import type { Screen } from "./screen.js";
import type { Terminal } from "./terminal.js";

export function printTitle(name: string, { screen, terminal: { clean, style } }: Target): void {
  screen.line(style.bold(clean(name)));
}

export function printInput(input: unknown, { screen, terminal: { clean, style } }: Target): void {
  if (isEmptyContent(input)) return;
  const text = clean(toText(input)).trim();
  screen.line(`${style.dim("Input:")}${text.includes("\n") ? "\n" : " "}${text}`);
}

interface Target {
  readonly screen: Screen;
  readonly terminal: Terminal;
}
