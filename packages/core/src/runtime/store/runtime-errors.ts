/** Errors about stored runs. */
import { WorkflowError } from "../../errors/workflow-error.js";
import type { RunKey } from "./run-store.types.js";

export function leaseLost({ runId }: RunKey): WorkflowError {
  return new WorkflowError({
    code: "RUN_LEASE_LOST",
    message: `Run "${runId}" has been taken over by another owner: what this process did since its lease ran out does not count.`,
    hint: "Nothing is lost: the run continues there. If this happens often, raise `leaseMs`, or keep the event loop free.",
    details: { runId },
  });
}

export function runTooLarge(
  { runId }: RunKey,
  room: { readonly characters: number; readonly neededBytes: number; readonly freeBytes: number },
): WorkflowError {
  const [needed, free] = [room.neededBytes, room.freeBytes].map((bytes) => Math.ceil(bytes / 2 ** 20));
  return new WorkflowError({
    code: "RUN_TOO_LARGE",
    message: `Run "${runId}" needs about ${needed} MB of memory to be loaded, for at least ${room.characters} stored characters; ${free} MB are free.`,
    hint: "Raise the memory limit of the process (`node --max-old-space-size`), or keep large values outside of the run.",
    details: { runId, ...room },
  });
}

export function runUnknown({ runId, tenant }: RunKey): WorkflowError {
  return new WorkflowError({
    code: "RUN_UNKNOWN",
    message: `There is no run "${runId}"${tenant === "" ? "" : ` of tenant "${tenant}"`}.`,
    hint: "Check the id and the tenant. The run may have been deleted.",
    details: { runId, tenant },
  });
}

/** Returns whether the error is about a run of newer code. During a deployment, a process with that code has the run, or claims it. */
export function isOfNewerCode(error: unknown): boolean {
  return WorkflowError.is(error, "SNAPSHOT_NEWER") || WorkflowError.is(error, "EVENT_NEWER");
}

export function runtimeStopped(): WorkflowError {
  return new WorkflowError({
    code: "RUNTIME_STOPPED",
    message: "The runtime has been stopped: it accepts no more work.",
    hint: "Make a new one with `createRuntime`; stored runs continue there.",
  });
}

/**
 * @param asked Workflow of a run that was to be started; `null` if the run was to be imported.
 *
 * @param differs Fields of the inputs that are not the same.
 */
export function runIdConflict(
  { runId }: RunKey,
  stored: string,
  { asked, differs = [] }: { readonly asked: string | null; readonly differs?: readonly string[] },
): WorkflowError {
  const fields = differs.length === 0 ? "" : `; different: ${differs.join(", ")}`;
  const why =
    asked === null
      ? "that is not the one which was exported"
      : stored === asked
        ? `with another input${fields}`
        : `of the workflow "${stored}", not "${asked}"`;
  return new WorkflowError({
    code: "RUN_ID_CONFLICT",
    message: `There is already a run "${runId}" ${why}.`,
    hint: "Use another `runId`; the same one with the same workflow and input returns the existing run.",
    details: { runId, workflow: stored, differs },
  });
}
