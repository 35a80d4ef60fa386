/**
 * Which processes of this machine are dead.
 *
 * The answer may be "not known", and may be wrong in one direction only that matters to speed, not to safety: a lease that is
 * taken from a living owner costs that owner its next commit, because the epoch has risen.
 *
 * @module
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity, Processes } from "./processes.js";

/** The host, this boot of it, and on Linux the namespace of process ids: containers often share a host name. */
function machineOfProcess(): string {
  return [
    hostname(),
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    attempt(() => readlinkSync("/proc/self/ns/pid")),
  ]
    .filter((part) => part !== null)
    .join(" ");
}

export const thisProcess: ProcessIdentity = {
  machine: machineOfProcess(),
  pid: process.pid,
  started: statusOf("self")?.started ?? null,
};

/** True only when it surely is: of this machine, and gone, or another process has its id now. */
export function isDead(other: ProcessIdentity): boolean {
  if (other.machine !== thisProcess.machine) return false;
  if (!isSignalable(other.pid)) return true;
  const status = statusOf(other.pid);
  if (status === null) return false;
  const isReused = other.started !== null && status.started !== other.started;
  return isReused || status.isZombie;
}

export const processes: Processes = { self: thisProcess, isDead };

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: somebody else's process, so there is one.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Of Linux; null elsewhere. The second field is the program's name in parentheses and may hold spaces. */
function statusOf(pid: number | "self"): { readonly started: string; readonly isZombie: boolean } | null {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  return started === undefined ? null : { started, isZombie: state === "Z" || state === "X" };
}

function attempt(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null; // not on this system, or not allowed
  }
}
