/** Where a command reads and writes. Tests give their own. */
import { styleText } from "node:util";
import { jsonText, withoutControls } from "./format.js";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export interface TerminalSetup {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export class Terminal {
  readonly env: TerminalSetup["env"];
  readonly cwd: string;
  /** Scripts read what is printed: JSON, and nothing else on standard output. */
  isJson = false;
  readonly #setup: TerminalSetup;

  constructor(setup: TerminalSetup) {
    this.#setup = setup;
    this.env = setup.env;
    this.cwd = setup.cwd;
  }

  /** A person can be asked. */
  get isInteractive(): boolean {
    return this.isLive && this.#setup.stdin.isTTY === true && !this.env["CI"];
  }

  /** What is printed may be changed in place. */
  get isLive(): boolean {
    return !this.isJson && this.#setup.stdout.isTTY === true && this.env["TERM"] !== "dumb";
  }

  get columns(): number {
    return this.#setup.stdout.columns || (this.#setup.stdout.isTTY === true ? 80 : 1_000);
  }

  get rows(): number {
    return this.#setup.stdout.rows || 24;
  }

  line(text = ""): void {
    this.write(`${withoutControls(text)}\n`);
  }

  write(text: string): void {
    this.#setup.stdout.write(text);
  }

  /** For people, beside what a script reads. */
  note(text: string): void {
    this.#setup.stderr.write(`${withoutControls(text)}\n`);
  }

  /** One JSON value in one line. */
  json(value: unknown): void {
    this.write(`${jsonText(value).replace(/[\u007f-\u009f]/g, escapeOf)}\n`);
  }

  paint(style: Style, text: string): string {
    return colored(this.#setup.stdout, this.env) ? styleText(style, text, { validateStream: false }) : text;
  }

  paintError(style: Style, text: string): string {
    return colored(this.#setup.stderr, this.env) ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** Terminals take some of the control characters that JSON need not escape. */
function escapeOf(letter: string): string {
  return `\\u00${letter.charCodeAt(0).toString(16)}`;
}

/** https://no-color.org and https://force-color.org */
function colored(output: Output, env: TerminalSetup["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return output.isTTY === true && env["TERM"] !== "dumb";
}
