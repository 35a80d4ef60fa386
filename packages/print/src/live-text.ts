import { CleanStream } from "./clean-text.js";
import type { Screen } from "./screen.js";

/** Text of one step, printed while it arrives. */
export class LiveText {
  readonly #screen: Screen;
  readonly #clean: CleanStream = new CleanStream();
  readonly #blocks: MarkdownBlocks = new MarkdownBlocks();
  readonly #said: string[] = [];
  #begun = false;

  constructor(screen: Screen) {
    this.#screen = screen;
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
    if (this.#screen.terminal.render !== null) {
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
    this.#screen.line(this.#screen.terminal.render?.(block) ?? block);
  }
}

/** Cuts Markdown that arrives in pieces into blocks that can be rendered separately. */

/** Begins a block of code. */
const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * A block ends at a blank line before a line that is not indented, because indented lines may belong to a list item.
 * Fenced code is one block.
 */
class MarkdownBlocks {
  #line: string[] = [];
  #lines: string[] = [];
  #fence: string | null = null;

  /** Returns the blocks that are complete now. */
  push(piece: string): string[] {
    const parts = piece.split("\n");
    const rest = parts.pop() as string;
    const blocks: string[] = [];
    for (const part of parts) {
      this.#line.push(part);
      blocks.push(...this.#take(this.#line.join("")));
      this.#line = [];
    }
    if (rest !== "") this.#line.push(rest);
    return blocks;
  }

  end(): string[] {
    const blocks = this.#take(this.#line.join(""));
    const last = this.#cut();
    this.#line = [];
    this.#fence = null;
    return [...blocks, ...last];
  }

  #take(line: string): string[] {
    const starts = this.#fence === null && this.#lines.at(-1)?.trim() === "" && /^\S/.test(line);
    const block = starts ? this.#cut() : [];
    this.#lines.push(line);
    this.#follow(line);
    return block;
  }

  #follow(line: string): void {
    const mark = (this.#fence === null ? fence : /^\s*(`{3,}|~{3,})\s*$/).exec(line)?.[1];
    if (mark === undefined) return;
    if (this.#fence === null) this.#fence = mark;
    else if (mark.startsWith(this.#fence)) this.#fence = null;
  }

  #cut(): string[] {
    const block = this.#lines.join("\n");
    this.#lines = [];
    return block.trim() === "" ? [] : [block];
  }
}
