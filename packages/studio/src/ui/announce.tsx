/** Says something to those who listen to the page instead of looking at it. */
import type { ReactNode } from "react";
import { createStore, useStore } from "../store.js";

const said = createStore("");

export function announce(text: string): void {
  said.set(text);
}

export function Announcer(): ReactNode {
  return (
    <div className="sr" role="status" aria-live="polite">
      {useStore(said)}
    </div>
  );
}
