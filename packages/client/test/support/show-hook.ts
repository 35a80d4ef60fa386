/** A hook in a component, in strict mode, without act: as a page has it. Of whichever React the project of the test names. */
import "./dom.js";
import { createElement, type ReactNode, StrictMode } from "react";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";

const roots = new Set<Root>();

interface ShownHook<Options> {
  rerender(options: Options): void;
  unmount(): void;
}

/** `use` is a hook; it stays the same. */
export function Using({ use }: { readonly use: () => unknown }): ReactNode {
  return String(use() ?? "");
}

export function showHook<Options>(use: (options: Options) => void, first: Options): ShownHook<Options> {
  const root = createRoot(document.createElement("div"));
  roots.add(root);
  const rerender = (options: Options): void => {
    const element = createElement(Using, { use: () => use(options) });
    flushSync(() => root.render(createElement(StrictMode, null, element)));
  };
  rerender(first);
  return { rerender, unmount: () => unmount(root) };
}

function unmount(root: Root): void {
  if (roots.delete(root)) flushSync(() => root.unmount());
}

export function unmountAll(): void {
  for (const root of roots) unmount(root);
}
