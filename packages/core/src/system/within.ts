import type { Clock } from "../engine/ports.js";

/** Resolves when `work` has, or after so many milliseconds. Rejects when `work` does before. */
export function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const callOff = clock.setTimer(clock.now() + ms, resolve);
    work.then(resolve, reject).finally(callOff);
  });
}
