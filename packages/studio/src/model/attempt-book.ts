/** Attempts by item and number. A newer report of an attempt replaces the older one. */
import type { RunAttempt } from "@millrace/client";

export class AttemptBook {
  readonly #byKey = new Map<string, RunAttempt>();
  #list: readonly RunAttempt[] | null = null;

  /** Whether anything is new. */
  put(attempts: readonly RunAttempt[]): boolean {
    let isNew = false;
    for (const attempt of attempts) {
      const key = `${attempt.runId}#${attempt.item}#${attempt.attempt}`;
      if (isSame(this.#byKey.get(key), attempt)) continue;
      this.#byKey.set(key, attempt);
      isNew = true;
    }
    if (isNew) this.#list = null;
    return isNew;
  }

  /** In the order in which they started. The same list until something changes. */
  get list(): readonly RunAttempt[] {
    this.#list ??= [...this.#byKey.values()].sort(byStart);
    return this.#list;
  }

  /** Where to read on: everything that started later is unknown, and what is still open may have changed. */
  get readFrom(): number {
    const open = this.list.find(
      ({ status }) => status !== "completed" && status !== "failed" && status !== "cancelled",
    );
    const from = open?.startedTick ?? this.list.at(-1)?.startedTick ?? 0;
    return Math.max(0, from - 1);
  }
}

function byStart(one: RunAttempt, other: RunAttempt): number {
  return (
    one.startedAtMs - other.startedAtMs ||
    one.startedTick - other.startedTick ||
    one.item - other.item ||
    one.attempt - other.attempt
  );
}

function isSame(known: RunAttempt | undefined, received: RunAttempt): boolean {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(received);
}
