/** Errors for what Restate does not support, and for failed requests. */
import { WorkflowError } from "millrace";

export function unsupported(what: string, hint: string): WorkflowError {
  return new WorkflowError({
    code: "RESTATE_UNSUPPORTED",
    message: `${what} is not available for runs on Restate.`,
    hint,
    details: { what },
  });
}

export function recordsUnsupported(): WorkflowError {
  return unsupported(
    "Records, as which sessions, schedules and `dedupe` are kept,",
    "Name a store for them, the same in the hosts and the clients: `createRestateHost({ workflows, records })`, `connect({ ingress, workflows, records })`.",
  );
}

export function queueUnsupported(): WorkflowError {
  return unsupported(
    "A queue",
    "Start the run without `queue`, and limit what its steps share where they share it; or run it with a store: `createRuntime({ store, queues })`.",
  );
}

export function statisticsUnsupported(): WorkflowError {
  return unsupported(
    "Counting what has ended",
    "Count with the telemetry of the hosts: `@millrace/otel` has metrics of runs and steps.",
  );
}

export function movingUnsupported(): WorkflowError {
  return unsupported(
    "A move to or from another store",
    "Let the runs that are there end there, and start new ones in the other place.",
  );
}

export function textTooLong(what: string, length: number, most: number): WorkflowError {
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${what} has ${length} characters of JSON; the limit of Restate is ${most}.`,
    hint: "Store large data elsewhere and send its address.",
    details: { path: "", length, most },
  });
}

/** A request that Restate, or the network, did not complete. */
export function requestFailed(
  what: string,
  { status, text, cause }: { status?: number; text?: string; cause?: unknown },
): WorkflowError {
  const why =
    status === undefined ? "there was no answer" : `it answered ${status}${text ? `: ${text.slice(0, 300)}` : ""}`;
  return new WorkflowError({
    code: "STORE_FAILED",
    message: `Restate could not ${what}: ${why}.`,
    hint: hintOf(status, text),
    details: { ...(status !== undefined && { status }) },
    ...(cause !== undefined && { cause }),
  });
}

function hintOf(status: number | undefined, text = ""): string {
  if (status === 400 && text.includes("not public"))
    return "Leave the call out of `ingressPrivate` of the host, or make it from a service of this Restate.";
  if (status === 401 || status === 403) return "Pass the `headers` that the ingress asks for to `connect`.";
  if (status === 413)
    return "Keep large data elsewhere, and send its address; or raise the limit of the server or the proxy that refused it.";
  return "See that the server is up, that `ingress` and `admin` are its addresses, and that the services of the host are registered.";
}
