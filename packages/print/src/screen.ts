import { cleanText } from "./clean-text.js";
import { isEmptyContent, toText } from "@millrace/executor";
import type { Terminal } from "./terminal.js";

/** Writes clean text, and knows whether the cursor is at the start of a line or below a blank line. */
export class Screen {
  readonly terminal: Terminal;
  /** Number of newlines at the end of the output. The start counts as two: no gap is needed. */
  #newlines = 2;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** The name of what runs. */
  title(name: string): void {
    const { style } = this.terminal;
    this.line(style.bold(cleanText(name)));
  }

  input(input: unknown): void {
    const { style } = this.terminal;
    if (isEmptyContent(input)) return;
    const text = cleanText(toText(input)).trim();
    this.line(`${style.dim("Input:")}${text.includes("\n") ? "\n" : " "}${text}`);
  }

  write(text: string): void {
    if (text === "") return;
    this.terminal.out.write(text);
    const written = /(?<!\n)\n*$/.exec(text.slice(-2))?.[0].length ?? 0;
    this.#newlines = Math.min(2, written === text.length ? this.#newlines + written : written);
  }

  line(text: string): void {
    this.freshLine();
    this.write(`${text}\n`);
  }

  freshLine(): void {
    if (this.#newlines === 0) this.write("\n");
  }

  /** Puts one blank line above the next text. */
  gap(): void {
    this.write("\n".repeat(2 - this.#newlines));
  }
}
