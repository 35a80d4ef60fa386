import type { FinishReason, UIMessageChunk } from "ai";

/** A text of an owner. */
export interface WrittenText {
  readonly owner: string;
  readonly kind: "text" | "reasoning";
  readonly id: string;
  /** `true`: it is not the result of the run. */
  readonly isDraft?: true;
}

/**
 * The chunks of one message: opens and closes its steps and texts.
 *
 * A step of the message belongs to one owner: a call of a model, or the events of one work item. So what its owner
 * discards is exactly what a `reset-step` removes. Owners may write at the same time: the text of each continues where
 * it began.
 */
export class MessageWriter {
  #chunks: UIMessageChunk[] = [];
  #owner: string | null = null;
  /** The open text of each owner. */
  readonly #open: Map<string, WrittenText> = new Map();
  /** Whether the message has the result of the run as text. */
  hasText = false;

  /** What was written since the last call. */
  take(): UIMessageChunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Owner of the last step; `null` if none has begun. */
  get owner(): string | null {
    return this.#owner;
  }

  text(text: WrittenText, delta: string): void {
    const { owner, kind, id, isDraft = false } = text;
    const open = this.#open.get(owner);
    if (open?.id !== id || open.kind !== kind) {
      this.endText(owner);
      this.#enter(owner);
      this.#open.set(owner, text);
      this.put({ type: `${kind}-start`, id });
    }
    if (delta === "") return;
    this.hasText ||= kind === "text" && !isDraft;
    this.put({ type: `${kind}-delta`, id, delta });
  }

  /** Adds parts of an owner, after its text. */
  add(owner: string, ...chunks: readonly UIMessageChunk[]): void {
    this.endText(owner);
    this.#enter(owner);
    for (const chunk of chunks) this.put(chunk);
  }

  /** Adds what belongs to no step, or changes a part that is there. */
  put(chunk: UIMessageChunk): void {
    this.#chunks.push(chunk);
  }

  endText(owner: string): void {
    const open = this.#open.get(owner);
    if (open === undefined) return;
    this.#open.delete(owner);
    this.put({ type: `${open.kind}-end`, id: open.id });
  }

  /** Removes what the owner has written, if its step is still the last one. */
  reset(owner: string): void {
    if (this.#owner === owner) {
      this.#open.clear(); // a reset ends all texts
      this.put({ type: "reset-step" });
    } else this.endText(owner);
  }

  #enter(owner: string): void {
    if (this.#owner === owner) return;
    if (this.#owner !== null) this.put({ type: "finish-step" });
    this.#owner = owner;
    this.put({ type: "start-step" });
  }

  #end(): void {
    for (const owner of [...this.#open.keys()]) this.endText(owner);
    if (this.#owner !== null) this.put({ type: "finish-step" });
    this.#owner = null;
  }

  /** Ends the message. */
  finish(finishReason: FinishReason, metadata?: object): void {
    this.#end();
    this.put({ type: "finish", finishReason, ...(metadata && { messageMetadata: metadata }) });
  }

  /** Ends the message with an error, which the client shows. */
  fail(errorText: string, metadata: object): void {
    this.#end();
    this.put({ type: "message-metadata", messageMetadata: metadata });
    this.put({ type: "error", errorText });
  }

  /** Ends the message because its run was cancelled. */
  abort(metadata: object): void {
    this.#end();
    this.put({ type: "message-metadata", messageMetadata: metadata });
    this.put({ type: "abort" });
  }
}
