import type { EffectCall, WorkflowError } from "millrace";
import { later } from "../system.js";
import type { AgentPart } from "./agent-part.types.js";

/** Takes what one call shows, in order. `close` is called when the call is over. */
export interface PartSink {
  /** The call of a tool is allowed, and its work begins. */
  begin(): void;
  show(part: AgentPart): void;
  /** `true`: the call cannot be made again after this failure, because its readers would have its words twice, or nobody waits. */
  isFinal(failure: WorkflowError): boolean;
  close(): void;
}

/**
 * Shows parts as pieces of their call. Words that come in one turn of the process are one piece: a network brings several at once.
 */
export class PieceSink implements PartSink {
  readonly #call: EffectCall;
  #text: AgentPart | null = null;
  #cancel: () => void = () => {};

  constructor(call: EffectCall) {
    this.#call = call;
  }

  /** The model has shown the call. */
  begin(): void {}

  show(part: AgentPart): void {
    const joined = this.#text === null ? null : joinedText(this.#text, part);
    if (joined !== null) {
      this.#text = joined;
      return;
    }
    this.#flush();
    if (!("text" in part)) return this.#write(part);
    this.#text = part;
    this.#cancel = later(0, () => this.#flush());
  }

  /** The next attempt of the call takes the pieces of this one back, and a stored run waits as long as it has to. */
  isFinal(): boolean {
    return false;
  }

  close(): void {
    this.#flush();
  }

  #flush(): void {
    this.#cancel();
    const text = this.#text;
    this.#text = null;
    if (text !== null) this.#write(text);
  }

  /** What an attempt shows that has ended does not count. */
  #write(part: AgentPart): void {
    if (!this.#call.signal.aborted) this.#call.write({ ...part });
  }
}

/** One part for two pieces of the same text; `null` for parts that do not belong together. */
function joinedText(one: AgentPart, other: AgentPart): AgentPart | null {
  if (one.type === "tool-input" && other.type === "tool-input")
    return one.toolCallId === other.toolCallId ? { ...one, text: one.text + other.text } : null;
  const isText = (one.type === "text" || one.type === "reasoning") && one.type === other.type;
  return isText && one.id === other.id ? { ...one, text: one.text + other.text } : null;
}
