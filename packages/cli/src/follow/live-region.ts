/** The last lines of a terminal, drawn again in place; what is printed goes above them. */
import { cleanLine, cleanText } from "../output/clean.js";
import type { Terminal } from "../output/terminal.js";
import type { TreeLine } from "./step-tree.js";

const frameMs = 100;

export class LiveRegion {
  readonly #terminal: Terminal;
  readonly #lines: (frame: number) => readonly TreeLine[];
  #drawn = 0;
  #frame = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param lines What to show now. */
  constructor(terminal: Terminal, lines: (frame: number) => readonly TreeLine[]) {
    this.#terminal = terminal;
    this.#lines = lines;
  }

  start(): void {
    if (this.#timer !== null || !this.#terminal.isLive) return;
    this.#terminal.write("\x1b[?25l");
    this.draw();
    this.#timer = setInterval(() => {
      this.#frame += 1;
      this.draw();
    }, frameMs);
  }

  /** Leaves what was drawn last where it is. */
  stop(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.draw();
    this.#drawn = 0;
    this.#terminal.write("\x1b[?25h");
  }

  /** Above the region. */
  print(text: string): void {
    if (this.#timer === null) return this.#terminal.line(text);
    this.#terminal.write(this.#erase());
    this.#drawn = 0;
    this.#terminal.line(text);
    this.draw();
  }

  draw(): void {
    const limit = Math.max(1, this.#terminal.rows - 2);
    const all = this.#lines(this.#frame);
    // The newest steps are at the bottom.
    const hidden = all.length - limit;
    const shown: readonly TreeLine[] = hidden > 0 ? [[[`… ${hidden + 1} more`, "dim"]], ...all.slice(hidden + 1)] : all;
    const text = shown.map((line) => `${this.#painted(line)}\n`).join("");
    this.#terminal.write(this.#erase() + text);
    this.#drawn = shown.length;
  }

  #erase(): string {
    return this.#drawn === 0 ? "" : `\x1b[${this.#drawn}A\x1b[0J`;
  }

  /** A line that wraps would count as one and take two. */
  #painted(line: TreeLine): string {
    let room = this.#terminal.columns - 1;
    const painted = line
      .map(([text, style]) => {
        const fits = cleanLine(text).slice(0, room);
        room -= fits.length;
        return style === null || fits === "" ? fits : this.#terminal.paint(style, fits);
      })
      .join("");
    return cleanText(painted);
  }
}
