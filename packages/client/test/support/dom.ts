/** A document for React, and no more: `fetch` and streams stay those of Node. Import it before React. */
import { Window } from "happy-dom";

const window = new Window({ url: "http://localhost/" });
Object.assign(globalThis, {
  window,
  document: window.document,
  HTMLElement: window.HTMLElement,
});
// Node 20 has none of its own.
if (!("navigator" in globalThis)) Object.assign(globalThis, { navigator: window.navigator });
