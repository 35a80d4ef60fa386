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
  readonly #shown = new Set<string>();
  #closed = false;

  /**
   * Resolves once {@link show} was called for it.
   *
   * @throws {DOMException} `AbortError` when it never will be: the tool must not begin then.
   */
  async wait(toolCallId: string): Promise<void> {
    if (this.#shown.has(toolCallId)) return;
    if (this.#closed) throw overBeforeShown();
    await new Promise<void>((resolve, reject) => this.#waiting.set(toolCallId, { resolve, reject }));
  }

  show(toolCallId: string): void {
    this.#shown.add(toolCallId);
    this.#waiting.get(toolCallId)?.resolve();
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
