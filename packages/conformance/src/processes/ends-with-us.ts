import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface LastWords {
  readonly signal: NodeJS.Signals;
  /** Removed after that. */
  readonly folder?: string;
}

let reaper: ChildProcess | null = null;

/** Ends what this process has started once this process is gone, also where that was killed with `kill -9`. */
export function endsWithUs(started: ChildProcess, last: LastWords): void {
  reaper ??= startReaper();
  reaper.send({ pid: started.pid, last });
  started.once("exit", () => reaper?.send({ pid: started.pid, last: null }));
}

function startReaper(): ChildProcess {
  const path = fileURLToPath(new URL("reaper.mjs", import.meta.url));
  // A separate group: the interrupt of a terminal must not end it before its time.
  const started = spawn(process.execPath, [path], { detached: true, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  started.unref();
  started.channel?.unref();
  return started;
}
