/** As many as a call takes to come back through some functions that await one another. */
const HOPS = 8;

let hopping: (() => void)[] | null = null;

/**
 * Calls back some microtasks later: code that goes on after a call makes its next one, or returns, some microtasks later. Those who
 * ask together hop together.
 */
export function afterHops(callback: () => void): void {
  if (hopping === null) {
    const together = (hopping = []);
    hop(together, HOPS);
  }
  hopping.push(callback);
}

function hop(together: (() => void)[], left: number): void {
  if (left === HOPS - 1) hopping = null; // whoever comes later hops on its own
  if (left > 0) return void settled.then(() => hop(together, left - 1));
  for (const callback of together) callback();
}
const settled = /* @__PURE__ */ Promise.resolve();
