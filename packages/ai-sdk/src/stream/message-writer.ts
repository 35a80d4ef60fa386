import type { FinishReason, UIMessageChunk } from "ai";

export type TextKind = "text" | "reasoning";

/**
 * The chunks of one message: opens and closes its steps and texts.
 *
 * A step of the message belongs to one owner: a call of a model, or the events of one work item. So what its owner takes back is
 * exactly what a `reset-step` removes.
 */
export class MessageWriter {
  #chunks: UIMessageChunk[] = [];
  #owner: string | null = null;
  #open: { readonly kind: TextKind; readonly id: string } | null = null;
  /** Whether the message has text. */
  hasText = false;

  /** What was written since the last call. */
  take(): UIMessageChunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Begins a step, if that of this owner is not open. */
  enter(owner: string): void {
    if (this.#owner === owner) return;
    this.#endStep();
    this.#owner = owner;
    this.put({ type: "start-step" });
  }

  /** Takes back what the owner has written, if its step is still the last one. */
  reset(owner: string): void {
    if (this.#owner !== owner) return;
    this.#open = null; // a reset closes texts, too
    this.put({ type: "reset-step" });
  }

  get owner(): string | null {
    return this.#owner;
  }

  text(kind: TextKind, id: string, delta: string): void {
    if (this.#open?.id !== id || this.#open.kind !== kind) {
      this.endText();
      this.#open = { kind, id };
      this.put({ type: `${kind}-start`, id });
    }
    if (delta === "") return;
    this.hasText ||= kind === "text";
    this.put({ type: `${kind}-delta`, id, delta });
  }

  /** A chunk after the open text. */
  add(...chunks: readonly UIMessageChunk[]): void {
    this.endText();
    for (const chunk of chunks) this.put(chunk);
  }

  /** A chunk that does not end the open text. */
  put(chunk: UIMessageChunk): void {
    this.#chunks.push(chunk);
  }

  endText(): void {
    if (this.#open === null) return;
    const { kind, id } = this.#open;
    this.#open = null;
    this.put({ type: `${kind}-end`, id });
  }

  #endStep(): void {
    this.endText();
    if (this.#owner !== null) this.put({ type: "finish-step" });
    this.#owner = null;
  }

  /** Ends the message. */
  finish(finishReason: FinishReason, metadata?: object): void {
    this.#endStep();
    this.put({ type: "finish", finishReason, ...(metadata && { messageMetadata: metadata }) });
  }

  /** Ends the message with an error, which the client shows. */
  fail(errorText: string, metadata: object): void {
    this.#endStep();
    this.put({ type: "message-metadata", messageMetadata: metadata });
    this.put({ type: "error", errorText });
  }

  /** Ends the message because its run was cancelled. */
  abort(metadata: object): void {
    this.#endStep();
    this.put({ type: "message-metadata", messageMetadata: metadata });
    this.put({ type: "abort" });
  }
}
