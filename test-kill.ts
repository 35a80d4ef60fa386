import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Kills a process, as `kill -9`. Resolves when it is gone: until then it has its port, and the leases of its runs. */
export async function killed(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}
