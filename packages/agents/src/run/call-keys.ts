/**
 * Idempotency keys for the tool calls of one run.
 *
 * A key is made from the tool and its arguments, not from the ids that the model invents: when a retried run asks for
 * the same call again, the key is the same. The second identical call of one run gets another key than the first.
 *
 * @module
 */
import { isObject } from "@millrace/pipeline/executor";
import { digest } from "millrace/engine";

export class CallKeys {
  readonly #runKey: string;
  readonly #counts: Map<string, number>;

  /** @param counts How often each call was made before a pause. */
  constructor(runKey: string, counts: Readonly<Record<string, number>>) {
    this.#runKey = runKey;
    this.#counts = new Map(Object.entries(counts));
  }

  next(toolName: string, args: unknown): string {
    const call = `${toolName}:${digest(`${toolName} ${canonicalJson(args)}`)}`;
    const count = this.#counts.get(call) ?? 0;
    this.#counts.set(call, count + 1);
    return `${this.#runKey}:${call}:${count}`;
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isObject(item) ? sorted(item) : item)) ?? "";
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1)));
}
