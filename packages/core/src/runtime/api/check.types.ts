/** Whether the present code can continue the runs that have not ended. */
export interface CheckReport {
  /** Number of runs that were checked. */
  readonly runs: number;
  readonly problems: readonly CheckProblem[];
}

export interface CheckProblem {
  readonly runId: string;
  readonly tenant: string;
  readonly workflow: string;
  readonly code: string;
  readonly message: string;
}
