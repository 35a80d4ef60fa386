/** Jobs whose progress is shown above the list, until a person has seen how they ended. */
import { createStore } from "../store.js";

const ids = createStore<readonly string[]>([]);

export const shownJobs = {
  store: ids,
  add: (id: string): void => ids.set([id, ...ids.get().filter((one) => one !== id)]),
  remove: (id: string): void => ids.set(ids.get().filter((one) => one !== id)),
};
