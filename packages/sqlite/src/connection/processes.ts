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
