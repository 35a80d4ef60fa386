/**
 * What one request asks of the workflow.
 *
 * @module
 */
import { bodyInvalid, wrongMethod } from "../http/http-error.js";
import { readBody } from "../http/read-body.js";
import type { ServerLimits } from "../options.js";
import { checkBody, idProblem, type RequestBody } from "./check-body.js";

export type Asked =
  /** Start a run. */
  | { readonly kind: "start"; readonly body: RequestBody }
  /** Answer a prompt. */
  | { readonly kind: "answer"; readonly body: RequestBody; readonly id: string; readonly promptId: string }
  /** Bring it an event. */
  | { readonly kind: "send"; readonly body: RequestBody; readonly id: string; readonly event: string | object }
  /** Go on, where it was cut short. */
  | { readonly kind: "drive"; readonly id: string }
  /** Say where it stands, and touch nothing. */
  | { readonly kind: "look"; readonly id: string };

/** @throws {HttpError} */
export async function readRequest(request: Request, limits: ServerLimits): Promise<Asked> {
  if (request.method === "GET") return { kind: "look", id: idOf(new URL(request.url).searchParams.get("handler_id")) };
  if (request.method !== "POST") throw wrongMethod(["GET", "POST"]);
  return askedBy(checkBody(await readBody(request, limits)));
}

function askedBy(body: RequestBody): Asked {
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
