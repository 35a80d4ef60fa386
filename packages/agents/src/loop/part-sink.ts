import type { EffectCall, WorkflowError } from "millrace";
import type { AgentPart } from "millrace/wire";
import { later } from "../system.js";
import type { ToolRecord } from "./tool-record.js";

/** Takes what one call shows, in order. `close` is called when the call is over. */
export interface PartSink {
  /** The call of a tool is allowed, and its work begins. */
  begin(): void;
  show(part: AgentPart): void;
  /** A call of a tool has ended. */
  end(toolCallId: string, record: ToolRecord): void;
  /** Gets the partial output with the next text. Absent if readers parse the text themselves. */
  takePartial?(output: unknown): void;
  /**
   * `true`: the call cannot be made again after this failure, because its readers would have its words twice, or the
   * process does not wait.
   */
  isFinal(failure: WorkflowError): boolean;
  close(): void;
}

/** A part whose text may grow. */
type TextPart = Extract<AgentPart, { readonly text: string }>;

/**
 * Shows parts as pieces of their call: the first words at once, then those that come in one turn of the process
 * together, because a network brings several.
 */
export class PieceSink implements PartSink {
  readonly #call: EffectCall;
  #open: TextPart | null = null;
  #text = "";
  #isTimed = false;
  #hasBegun = false;

  constructor(call: EffectCall) {
    this.#call = call;
  }

  /** The model has shown the call. */
  begin(): void {}

  show(part: AgentPart): void {
    if (!("text" in part)) {
      this.#flush();
      return this.#write(part);
    }
    if (this.#open !== null && !isMore(this.#open, part)) this.#flush();
    this.#open ??= part;
    this.#text += part.text;
    if (!this.#hasBegun) this.#flush();
    else if (!this.#isTimed) this.#flushSoon();
    this.#hasBegun = true;
  }

  end(toolCallId: string, record: ToolRecord): void {
    if ("output" in record) this.show({ type: "tool-result", toolCallId, output: record.output });
    else if ("error" in record) this.show({ type: "tool-error", toolCallId, error: record.error });
    else this.show({ type: "tool-denied", toolCallId, note: record.denied });
  }

  /** The next attempt of the call takes the pieces of this one back, and a stored run waits as long as it has to. */
  isFinal(): boolean {
    return false;
  }

  close(): void {
    this.#flush();
  }

  #flushSoon(): void {
    this.#isTimed = true;
    later(0, () => {
      this.#isTimed = false;
      this.#flush();
    });
  }

  #flush(): void {
    const [open, text] = [this.#open, this.#text];
    this.#open = null;
    this.#text = "";
    if (open !== null) this.#write({ ...open, text });
  }

  /** What an attempt shows that has ended does not count. */
  #write(part: AgentPart): void {
    if (!this.#call.signal.aborted) this.#call.write({ ...part });
  }
}

function isMore(one: TextPart, other: TextPart): boolean {
  return one.type === other.type && idOf(one) === idOf(other);
}

const idOf = (part: TextPart): string => (part.type === "tool-input" ? part.toolCallId : part.id);
