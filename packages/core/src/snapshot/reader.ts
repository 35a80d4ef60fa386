/** Reads untrusted JSON field by field; errors name the path. */
import { WorkflowError } from "../errors/workflow-error.js";

/** The last moment of a `Date`. */
const MAX_TIME_MS = 8.64e15;

export class Reader {
  readonly path: string;
  readonly #data: Readonly<Record<string, unknown>>;

  constructor(value: unknown, path: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw invalidSnapshot(path, "not an object");
    this.#data = value as Readonly<Record<string, unknown>>;
    this.path = path;
  }

  raw(name: string): unknown {
    return Object.hasOwn(this.#data, name) ? this.#data[name] : undefined;
  }

  at(name: string): string {
    return `${this.path}.${name}`;
  }

  text(name: string): string {
    return this.#typed(name, "string") as string;
  }

  /** A finite number: times, counts and ids. */
  number(name: string): number {
    return this.#typed(name, "number") as number;
  }

  /** A time in epoch milliseconds, within the range of `Date`. */
  time(name: string): number {
    const value = this.number(name);
    if (Math.abs(value) <= MAX_TIME_MS) return value;
    throw invalidSnapshot(this.at(name), `${value}, not a time`);
  }

  /** An id, an index, or a number of things. */
  count(name: string, below: number = Number.MAX_SAFE_INTEGER): number {
    const value = this.number(name);
    if (Number.isSafeInteger(value) && value >= 0 && value < below) return value;
    throw invalidSnapshot(this.at(name), `${value}, not a count below ${below}`);
  }

  flag(name: string): boolean {
    return this.#typed(name, "boolean") as boolean;
  }

  nullable<Value>(name: string, read: (name: string) => Value): Value | null {
    return this.raw(name) === null || this.raw(name) === undefined ? null : read(name);
  }

  oneOf<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.raw(name);
    if (choices.includes(value as Choice)) return value as Choice;
    throw invalidSnapshot(this.at(name), `${JSON.stringify(value)?.slice(0, 60)}, not one of ${choices.join(", ")}`);
  }

  texts(name: string): string[] {
    return this.array(name).map((value, index) => {
      if (typeof value !== "string") throw invalidSnapshot(`${this.at(name)}.${index}`, "not a string");
      return value;
    });
  }

  /** Missing lists are empty. */
  array(name: string): readonly unknown[] {
    const value = this.raw(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw invalidSnapshot(this.at(name), "not a list");
    return value;
  }

  each<Value>(name: string, read: (reader: Reader) => Value): Value[] {
    return this.array(name).map((value, index) => read(new Reader(value, `${this.at(name)}.${index}`)));
  }

  #typed(name: string, type: "string" | "number" | "boolean"): unknown {
    const value = this.raw(name);
    if (typeof value === type) return value;
    throw invalidSnapshot(
      this.at(name),
      `${value === undefined ? "missing" : JSON.stringify(value)?.slice(0, 60)}, not a ${type}`,
    );
  }
}

export function mismatch(path: string, what: string): WorkflowError {
  return new WorkflowError({
    code: "SNAPSHOT_MISMATCH",
    message: `The snapshot does not fit the workflow: ${path} ${what}.`,
    hint: "Let the code still take what the run holds, or change the snapshot with `migrate`.",
    details: { path },
  });
}

export function invalidSnapshot(path: string, what: string): WorkflowError {
  return new WorkflowError({
    code: "SNAPSHOT_INVALID",
    message: `This is not a ${path.startsWith("tick") ? "tick" : "snapshot"} of a run: ${path} is ${what}.`,
    hint: "Pass the result of `context.toDict()`, whole and unchanged.",
    details: { path },
  });
}
