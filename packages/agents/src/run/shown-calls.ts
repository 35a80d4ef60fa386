interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Holds tools back until readers of the stream have seen their call.
 *
 * The SDK starts a tool while the parts before its call are still on their way. Without this, what a tool shows, such as
 * the events of a team's member, would come before the call and before the text that led to it.
 */
export class ShownCalls {
  readonly #waiting = new Map<string, Waiting>();
  readonly #shown: Set<string>;
  #closed = false;

  /** @param shown Calls that were shown before the run was paused. */
  constructor(shown: Iterable<string>) {
    this.#shown = new Set(shown);
  }

  /**
   * Resolves once {@link show} was called for it.
   *
   * @throws {DOMException} `AbortError` when it never will be: the tool must not begin then.
   */
  async wait(toolCallId: string): Promise<void> {
    if (this.#shown.delete(toolCallId)) return; // each time: there are models that give every call the same id
    if (this.#closed) throw overBeforeShown();
    await new Promise<void>((resolve, reject) => this.#waiting.set(toolCallId, { resolve, reject }));
  }

  show(toolCallId: string): void {
    const waiting = this.#waiting.get(toolCallId);
    if (waiting === undefined) this.#shown.add(toolCallId);
    else if (this.#waiting.delete(toolCallId)) waiting.resolve();
  }

  /** Nothing will be shown any more. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(overBeforeShown());
  }
}

function overBeforeShown(): DOMException {
  return new DOMException("The run was over before the tool could begin.", "AbortError");
}
