/** The file that the page shows in place of a server: its name, or `null`. */
import { createStore, type Store } from "../store.js";

export const openFile: Store<string | null> = createStore<string | null>(null);
