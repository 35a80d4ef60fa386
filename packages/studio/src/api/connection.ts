/** Whether the server answers, as the shell shows it: one word for the whole page. */
import { createStore, type Store } from "../store.js";

export type Connection = "connected" | "reconnecting";

export const connection: Store<Connection> = createStore<Connection>("connected");
