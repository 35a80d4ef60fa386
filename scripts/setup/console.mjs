import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

const startedAtMs = Date.now();

/** A line of progress, with the seconds since the start. */
export function say(message) {
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(5);
  console.log(`[setup ${seconds} s] ${message}`);
}

/** Runs `attempt` until it returns true: a registry that hiccups is not a failed set-up. */
export function retry(what, attempt, attempts = 3) {
  for (let number = 1; number <= attempts; number += 1) {
    if (attempt()) return;
    if (number < attempts) {
      say(`${what} failed; trying again in ${5 * number} s (${number + 1} of ${attempts})`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000 * number);
    }
  }
  say(`${what} failed ${attempts} times; see the messages above.`);
  process.exit(1);
}
