/** The sender of a request, on its way through the SDK. */
import { ServerCallContext } from "@a2a-js/sdk/server";
import type { DoorCaller } from "@millrace/server/door";
import type { DoneBy } from "millrace";

export interface Caller extends Pick<DoorCaller, "may" | "assertMay" | "spendStart"> {
  /** `""` for a caller without a tenant. */
  readonly tenant: string;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Stored with all that the request does. */
  readonly by: DoneBy;
}

const key = "millrace.caller";

/** @param requestedVersion That of the protocol; the SDK takes an absent one for 0.3. */
export function callContext(caller: Caller, requestedVersion: string | null): ServerCallContext {
  const state = new Map<string, unknown>([[key, caller]]);
  return new ServerCallContext({ state, ...(requestedVersion !== null && { requestedVersion }) });
}

export function callerOf(context: ServerCallContext): Caller {
  return context.state.get(key) as Caller;
}
