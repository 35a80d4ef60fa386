/** Attempts by item and number. A newer report of an attempt replaces the older one. */
import type { Attempt } from "../api/contract.types.js";

export class AttemptBook {
  readonly #byKey = new Map<string, Attempt>();
  #list: readonly Attempt[] | null = null;

  /** Whether anything is new. */
  put(attempts: readonly Attempt[]): boolean {
    let isNew = false;
    for (const attempt of attempts) {
      const key = `${attempt.run_id}#${attempt.item}#${attempt.attempt}`;
      if (isSame(this.#byKey.get(key), attempt)) continue;
      this.#byKey.set(key, attempt);
      isNew = true;
    }
    if (isNew) this.#list = null;
    return isNew;
  }

  /** In the order in which they started. The same list until something changes. */
  get list(): readonly Attempt[] {
    this.#list ??= [...this.#byKey.values()].sort(byStart);
    return this.#list;
  }

  /** Where to read on: everything that started later is unknown, and what is still open may have changed. */
  get readFrom(): number {
    const open = this.list.find(
      ({ status }) => status !== "completed" && status !== "failed" && status !== "cancelled",
    );
    const from = open?.started_tick ?? this.list.at(-1)?.started_tick ?? 0;
    return Math.max(0, from - 1);
  }
}

function byStart(one: Attempt, other: Attempt): number {
  return (
    Date.parse(one.started_at) - Date.parse(other.started_at) ||
    one.started_tick - other.started_tick ||
    one.item - other.item ||
    one.attempt - other.attempt
  );
}

function isSame(known: Attempt | undefined, told: Attempt): boolean {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(told);
}
