/** The token of this tab. Session storage forgets it with the tab, and no other tab sees it. */
import { ofTab } from "../browser-memory.js";
import { createStore, type Store } from "../store.js";

const key = "millrace.token";

export const token: Store<string | null> = createStore(ofTab.get(key));
/** `true` once the server has refused a request for want of credentials, until it takes some. */
export const isSignedOut: Store<boolean> = createStore(false);

export function signIn(given: string): void {
  ofTab.set(key, given);
  token.set(given);
  isSignedOut.set(false);
}

export function signOut(): void {
  ofTab.set(key, null);
  token.set(null);
  isSignedOut.set(true);
}
