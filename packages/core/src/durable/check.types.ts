/** What a run of the current code would say of every run that has not ended. */
export interface CheckReport {
  /** How many runs were looked at. */
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
