import { type EffectCall, PartsShownEvent } from "millrace";
import { later, tickMs } from "../system.js";
import type { AgentPart } from "./agent-part.types.js";

/** Takes what one call shows, in order. `close` is called when the call is over. */
export interface PartSink {
  show(part: AgentPart): void;
  close(): void;
}

const EVERY_MS = 100;
const MOST_CHARACTERS = 2_048;

/**
 * Streams the parts of one durable call. Pieces of one text are put together: the store gets at most one event per 100 ms or 2 kB, and
 * the first piece at once, so that readers see that something comes.
 */
export class PartWriter implements PartSink {
  readonly #call: EffectCall;
  #pending: AgentPart[] = [];
  #characters = 0;
  #cancel: (() => void) | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(call: EffectCall) {
    this.#call = call;
  }

  show(part: AgentPart): void {
    const last = this.#pending.at(-1);
    const joined = last === undefined ? null : joinedText(last, part);
    if (joined === null) this.#pending.push(part);
    else this.#pending[this.#pending.length - 1] = joined;
    this.#characters += "text" in part ? part.text.length : 64;
    if (part.type === "agent") return; // it goes with the first piece
    const restMs = this.#lastMs + EVERY_MS - tickMs();
    if (restMs <= 0 || this.#characters >= MOST_CHARACTERS) this.#flush();
    else this.#cancel ??= later(restMs, () => this.#flush());
  }

  close(): void {
    this.#flush();
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#pending.length === 0 || this.#call.signal.aborted) return; // an attempt that has ended shows nothing
    const parts = this.#pending;
    this.#pending = [];
    this.#characters = 0;
    this.#lastMs = tickMs();
    this.#call.writeEventToStream(new PartsShownEvent({ parts }));
  }
}

/** One part for two pieces of the same text; `null` for parts that do not belong together. */
function joinedText(last: AgentPart, part: AgentPart): AgentPart | null {
  if (last.type === "tool-input" && part.type === "tool-input")
    return last.toolCallId === part.toolCallId ? { ...last, text: last.text + part.text } : null;
  const isText = (last.type === "text" || last.type === "reasoning") && last.type === part.type;
  return isText && last.id === part.id ? { ...last, text: last.text + part.text } : null;
}
