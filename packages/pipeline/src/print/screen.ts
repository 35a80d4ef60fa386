import type { PrintTarget } from "./print-options.js";

/** Writes clean text, and knows whether the cursor is at the start of a line or below a blank line. */
export class Screen {
  readonly #out: PrintTarget;
  /** Number of newlines at the end of the output. The start counts as two: no gap is needed. */
  #newlines = 2;

  constructor(out: PrintTarget) {
    this.#out = out;
  }

  write(text: string): void {
    if (text === "") return;
    this.#out.write(text);
    const written = /\n*$/.exec(text.slice(-2))?.[0].length ?? 0;
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
