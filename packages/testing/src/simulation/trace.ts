/** The course of a simulation: a digest of all of it, and its last lines, for the report of a failure. */
const LAST_LINES = 30;

export class Trace {
  readonly #elapsedMs: () => number;
  readonly #last: string[] = [];
  #digest = 0x811c9dc5;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  add(line: string): void {
    const timed = `${formatTime(this.#elapsedMs())} ${line}`;
    for (let index = 0; index < timed.length; index++)
      this.#digest = Math.imul(this.#digest ^ timed.charCodeAt(index), 0x01000193);
    this.#last.push(timed);
    if (this.#last.length > LAST_LINES) this.#last.shift();
  }

  /** FNV-1a, 32 bits. */
  get digest(): string {
    return (this.#digest >>> 0).toString(16).padStart(8, "0");
  }

  get last(): readonly string[] {
    return this.#last;
  }
}

/** Hours, minutes, seconds and milliseconds. */
export function formatTime(ms: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, "0")}`;
}
