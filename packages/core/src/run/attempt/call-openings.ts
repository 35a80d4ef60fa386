/**
 * Calls without options that have begun in this turn of the event loop. Those that have not ended with it get a tick for their beginning: a call
 * that takes time is seen while it is at work, and one that takes none costs one tick.
 *
 * @module
 */
import { nextTurn } from "../../system/system.js";

interface Begun {
  noteOpen(): void;
}

let begun: Begun[] | null = null;

export function afterThisTurn(call: Begun): void {
  if (begun === null) {
    const together: Begun[] = [];
    begun = together;
    nextTurn(() => {
      begun = null;
      for (const one of together) one.noteOpen();
    });
  }
  begun.push(call);
}
