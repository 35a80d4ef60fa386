/**
 * Ends the processes that it is told of when the process that has started it is gone, however that went: stopped ones, too.
 *
 * @module
 */
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const living = new Map();

process.on("message", ({ pid, last }) => void (last === null ? living.delete(pid) : living.set(pid, last)));
process.on("disconnect", async () => {
  for (const [pid, { signal }] of living) send(pid, signal);
  await Promise.all(Array.from(living, ([pid, { folder }]) => clean(pid, folder)));
});

async function clean(pid, folder) {
  for (let attempt = 0; attempt < 500 && send(pid, 0); attempt++) await sleep(20);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** Whether the process is there. */
function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has ended by itself
  }
}
