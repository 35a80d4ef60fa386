import { CleanStream } from "./clean-text.js";
import { MarkdownBlocks } from "./markdown-blocks.js";
import type { Screen } from "./screen.js";
import type { Terminal } from "./terminal.js";

/** Text of one step, printed while it arrives. */
export class LiveText {
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  readonly #clean: CleanStream;
  readonly #blocks: MarkdownBlocks = new MarkdownBlocks();
  readonly #said: string[] = [];
  #begun = false;

  constructor(terminal: Terminal, screen: Screen) {
    this.#terminal = terminal;
    this.#screen = screen;
    this.#clean = new CleanStream(terminal.stripAnsi);
  }

  /** The whole text so far. */
  get said(): string {
    return this.#said.join("");
  }

  push(piece: string): void {
    this.#print(this.#clean.push(piece));
  }

  /** Prints the held text and ends the line. */
  end(): void {
    this.#print(this.#clean.end());
    for (const block of this.#blocks.end()) this.#printBlock(block);
    this.#begun = false;
    this.#screen.freshLine();
  }

  #print(text: string): void {
    this.#said.push(text);
    if (this.#terminal.render !== null) {
      for (const block of this.#blocks.push(text)) this.#printBlock(block);
      return;
    }
    const shown = this.#begun ? text : text.replace(/^\n+/, "");
    this.#begun ||= shown !== "";
    this.#screen.write(shown);
  }

  #printBlock(block: string): void {
    if (this.#begun) this.#screen.gap();
    this.#begun = true;
    this.#screen.line(this.#terminal.render?.(block) ?? block);
  }
}
