/**
 * Parses a request to the function.
 *
 * @module
 */
import { bodyInvalid, wrongMethod } from "../http/http-error.js";
import { readBody } from "../http/read-body.js";
import type { ServerLimits } from "../options.js";
import { checkBody, idProblem, type RequestBody } from "./check-body.js";

export type FunctionRequest =
  /** Starts a run. */
  | { readonly kind: "start"; readonly body: RequestBody }
  /** Answers a prompt. */
  | { readonly kind: "answer"; readonly body: RequestBody; readonly id: string; readonly promptId: string }
  /** Sends an event. */
  | { readonly kind: "send"; readonly body: RequestBody; readonly id: string; readonly event: string | object }
  /** Continues an interrupted run. */
  | { readonly kind: "drive"; readonly id: string }
  /** Reads the status and changes nothing. */
  | { readonly kind: "look"; readonly id: string };

/** @throws {HttpError} */
export async function readRequest(request: Request, limits: ServerLimits): Promise<FunctionRequest> {
  if (request.method === "GET") return { kind: "look", id: idOf(new URL(request.url).searchParams.get("handler_id")) };
  if (request.method !== "POST") throw wrongMethod(["GET", "POST"]);
  return requestOf(checkBody(await readBody(request, limits)));
}

function requestOf(body: RequestBody): FunctionRequest {
  const { handler_id: id, prompt_id: promptId, event, start_event: start, kwargs } = body;
  if (promptId != null) return { kind: "answer", body, id: idOf(id), promptId };
  if (event != null) return { kind: "send", body, id: idOf(id), event };
  if (id != null && start == null && kwargs == null) return { kind: "drive", id };
  return { kind: "start", body };
}

function idOf(given: unknown): string {
  if (idProblem(given) === null) return given as string;
  throw bodyInvalid("`handler_id` is missing, or no id.");
}
