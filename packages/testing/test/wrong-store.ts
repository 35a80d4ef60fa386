import { memoryStore, type RunStore } from "millrace/runtime";

/** A store in memory, some methods of which do something else. */
export function wrong(change: (store: RunStore) => Partial<RunStore>): () => RunStore {
  return () => {
    const store = memoryStore({ maxEnded: Number.POSITIVE_INFINITY });
    const changed = change(store);
    return new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name);
        return typeof member === "function" ? (member as () => unknown).bind(target) : member;
      },
    });
  };
}
