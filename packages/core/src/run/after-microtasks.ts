/** Enough microtasks for a call to come back through several functions that await one another. */
const HOPS = 8;

let hopping: (() => void)[] | null = null;

/**
 * Calls back some microtasks later: by then, code that continues after a call has made its next call, or has returned. Callers at
 * the same time share the hops.
 */
export function afterMicrotasks(callback: () => void): void {
  if (hopping === null) {
    const together = (hopping = []);
    hop(together, HOPS);
  }
  hopping.push(callback);
}

function hop(together: (() => void)[], left: number): void {
  if (left === HOPS - 1) hopping = null; // a later caller starts its own hops
  if (left > 0) return void settled.then(() => hop(together, left - 1));
  for (const callback of together) callback();
}
const settled = /* @__PURE__ */ Promise.resolve();
