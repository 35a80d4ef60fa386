import type { RegisteredWorkflow } from "./registered-workflows.js";
import type { NewRunRecord, RunCommit, RunKey } from "./run-store.types.js";

interface Created {
  readonly key: RunKey;
  readonly workflow: RegisteredWorkflow;
  readonly record: NewRunRecord;
}

/** A commit that creates the run without an owner: an executing process claims it when its time has come. */
export function createOnly({ key, workflow, record }: Created): RunCommit {
  return { key, owner: null, epoch: 0, create: { ...record, lease: null }, blobs: [workflow.code] };
}
