/**
 * Finds dead processes of this machine.
 *
 * The answer may be "unknown". A wrong "dead" is safe: taking the lease raises the epoch, so the living owner only has
 * its next commit refused.
 *
 * @module
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Identifies a process, so that another process can later find out whether it still runs. */
export interface ProcessIdentity {
  /** Processes with equal `machine` see each other's process ids. */
  readonly machine: string;
  readonly pid: number;
  /** When the process was started, in a form that is only good for comparing. `null` when unknown. */
  readonly started: string | null;
}

/** The present process, and a test for dead ones. */
export interface Processes {
  readonly self: ProcessIdentity;
  /** Returns `true` only when the process is surely dead. */
  isDead(other: ProcessIdentity): boolean;
}

/**
 * Identifies the host, its present boot, and on Linux the namespace of process ids, because containers often share a
 * host name.
 */
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

/**
 * Returns `true` only when the process is surely dead: it ran on this machine, and it has ended or its id belongs to
 * another process.
 */
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
    // EPERM means that the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * Status of a process on Linux; `null` on other systems. The second field is the program name in parentheses, which may
 * contain spaces.
 */
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
    return null; // not on this system, or not permitted
  }
}
