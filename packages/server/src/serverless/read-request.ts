/**
 * What one request asks of the workflow.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { bodyInvalid, wrongMethod } from "../http/http-error.js";
import { readBody } from "../http/read-body.js";
import type { ServerLimits } from "../options.js";
import { handlerIdText, runBody } from "../wire/schemas.js";

const fields = z.record(z.string(), z.unknown());

const requestBody = runBody.extend({
  prompt_id: z.string().min(1).max(1000).nullish(),
  fields: fields.nullish(),
  meta: z.unknown().optional(),
  event: z.union([z.string(), fields]).nullish(),
  step: z.string().min(1).nullish(),
});
type RequestBody = z.infer<typeof requestBody>;

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
  const result = requestBody.safeParse(await readBody(request, limits));
  if (!result.success) {
    const issues = result.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
    throw bodyInvalid("The body is wrong.", issues);
  }
  return askedBy(result.data);
}

function askedBy(body: RequestBody): Asked {
  const { handler_id: id, prompt_id: promptId, event, start_event: start, kwargs } = body;
  if (promptId != null) return { kind: "answer", body, id: idOf(id), promptId };
  if (event != null) return { kind: "send", body, id: idOf(id), event };
  if (id != null && start == null && kwargs == null) return { kind: "drive", id };
  return { kind: "start", body };
}

function idOf(given: unknown): string {
  const result = handlerIdText.safeParse(given);
  if (result.success) return result.data;
  throw bodyInvalid("`handler_id` is missing, or no id.");
}
