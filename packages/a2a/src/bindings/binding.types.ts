import type { AgentCard } from "@a2a-js/sdk";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { DoorCaller } from "@millrace/server/door";
import type { Log } from "millrace";

/** A request on its way to the operations. */
export interface BindingCall {
  readonly request: Request;
  readonly caller: DoorCaller;
  readonly requests: A2ARequestHandler;
  readonly context: ServerCallContext;
  readonly card: AgentCard;
  readonly log: Log;
  /** To be aborted when the reader of a stream has left. */
  readonly left: AbortController;
}
