/** Where a command reads and writes. Tests pass their own. */
import { cleanJson, cleanText, colored, type Style } from "./clean.js";
import { jsonText } from "./format.js";

export type { Style } from "./clean.js";

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
  /** Whether standard output is for scripts: then it is JSON only. */
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
    this.write(`${cleanText(text)}\n`);
  }

  /** As it is: for texts of this package, and for those that are clean. */
  write(text: string): void {
    this.#setup.stdout.write(text);
  }

  /** For people, beside what a script reads. */
  note(text: string): void {
    this.#setup.stderr.write(`${cleanText(text)}\n`);
  }

  /** One JSON value in one line. */
  json(value: unknown): void {
    this.write(`${cleanJson(jsonText(value))}\n`);
  }

  paint(style: Style, text: string): string {
    return hasColors(this.#setup.stdout, this.env) ? colored(style, text) : text;
  }

  paintError(style: Style, text: string): string {
    return hasColors(this.#setup.stderr, this.env) ? colored(style, text) : text;
  }
}

/** https://no-color.org and https://force-color.org */
function hasColors(output: Output, env: TerminalSetup["env"]): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return output.isTTY === true && env["TERM"] !== "dumb";
}
