/** A process, so that another one can tell later whether it still runs. */
export interface ProcessIdentity {
  /** Processes with the same text here see each other's ids. */
  readonly machine: string;
  readonly pid: number;
  /** When it was started, in a form that only serves to compare. Null: not known. */
  readonly started: string | null;
}

/** Which process this is, and which others are dead. */
export interface Processes {
  readonly self: ProcessIdentity;
  /** True only when it surely is. */
  isDead(other: ProcessIdentity): boolean;
}
