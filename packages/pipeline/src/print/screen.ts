import type { PrintTarget } from "./print-options.js";

/** Writes clean text, and knows whether it stands at the start of a line or below a blank one. */
export class Screen {
  readonly #out: PrintTarget;
  /** Newlines that were written last. At the start as below a blank line: nothing is to be kept apart. */
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

  /** The next text has one blank line above it. */
  gap(): void {
    this.write("\n".repeat(2 - this.#newlines));
  }
}
