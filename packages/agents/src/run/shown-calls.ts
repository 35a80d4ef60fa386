interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Holds tools back until their call was shown to readers of the stream.
 *
 * The SDK starts a tool while earlier parts of the stream are still on their way. Without this class, the events of a
 * tool, such as those of a team member, would come before the call and before the text that led to it.
 */
export class ShownCalls {
  readonly #waiting = new Map<string, Waiting>();
  readonly #shown: Set<string>;
  #closed = false;

  /** @param shown Ids of the calls that were shown before the run paused. */
  constructor(shown: Iterable<string>) {
    this.#shown = new Set(shown);
  }

  /**
   * Resolves once {@link show} was called with this id.
   *
   * @throws {DOMException} `AbortError` when the stream ends first; the tool must not start then.
   */
  async wait(toolCallId: string): Promise<void> {
    if (this.#shown.delete(toolCallId)) return; // consumed by each call: some models give every call the same id
    if (this.#closed) throw overBeforeShown();
    await new Promise<void>((resolve, reject) => this.#waiting.set(toolCallId, { resolve, reject }));
  }

  show(toolCallId: string): void {
    const waiting = this.#waiting.get(toolCallId);
    if (waiting === undefined) this.#shown.add(toolCallId);
    else if (this.#waiting.delete(toolCallId)) waiting.resolve();
  }

  /** Rejects all calls that still wait: nothing more will be shown. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(overBeforeShown());
  }
}

function overBeforeShown(): DOMException {
  return new DOMException("The run was over before the tool could begin.", "AbortError");
}
