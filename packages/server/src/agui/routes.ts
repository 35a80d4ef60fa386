/**
 * The routes of AG-UI.
 *
 * ```
 * GET    /                        the workflows that are served
 * GET    /{workflow}              what it can
 * POST   /{workflow}              RunAgentInput ──► events
 * DELETE /{workflow}/{thread}     stops the answer under way
 * ```
 *
 * @module
 */
import { PROTOCOL_VERSION } from "@ag-ui/core";
import type { DoorCaller } from "../door/mounted-door.types.js";
import { refusalOf } from "../http/answer-error.js";
import { HttpError, wrongMethod } from "../http/http-error.js";
import { refusalStream } from "./answer-stream.js";
import { capabilitiesOf } from "./capabilities.js";
import { parseInput, threadIdPattern } from "./read-input.js";
import { threadUnknown, workflowUnknown } from "./refusals.js";
import { submit } from "./submit.js";
import { type OpenThreads, sender, threadKey } from "./threads.js";

/** What the handler serves. */
export interface ServedWorkflows {
  readonly names: readonly string[];
  /** `null` for a workflow that is not served. */
  open(workflow: string, caller: DoorCaller): OpenThreads | null;
}

export async function answerRequest(served: ServedWorkflows, request: Request, caller: DoorCaller): Promise<Response> {
  const { method } = request;
  const [workflow, threadId, ...rest] = segments(new URL(request.url).pathname, caller.basePath);
  if (workflow === undefined) return method === "GET" ? list(served, caller) : refuse(["GET"]);
  const open = caller.may("any", workflow) ? served.open(workflow, caller) : null;
  if (open === null) throw workflowUnknown(workflow);
  if (threadId !== undefined) {
    if (rest.length > 0 || !threadIdPattern.test(threadId)) throw noRoute();
    return method === "DELETE" ? stop(open, threadId) : refuse(["DELETE"]);
  }
  if (method === "GET") return Response.json(capabilitiesOf(open.facts, open.show), noStore);
  return method === "POST" ? run(open, await caller.readBody()) : refuse(["GET", "POST"]);
}

const noStore = { headers: { "cache-control": "no-store" } };

/** Of hosts that mount the handler elsewhere than they say, nothing is found. */
function segments(path: string, basePath: string): string[] {
  if (path !== basePath && !path.startsWith(`${basePath}/`)) throw noRoute();
  const rest = path.slice(basePath.length).replace(/^\//, "").replace(/\/$/, "");
  try {
    return rest === "" ? [] : rest.split("/").map(decodeURIComponent);
  } catch {
    throw noRoute(); // the path is no UTF-8
  }
}

function refuse(allowed: readonly string[]): never {
  throw wrongMethod(allowed);
}

function noRoute(): HttpError {
  return new HttpError({ status: 404, code: "NOT_FOUND", detail: "There is nothing here." });
}

function list(served: ServedWorkflows, caller: DoorCaller): Response {
  const names = served.names.filter((name) => caller.may("any", name));
  const agents = names.map((name) => {
    const { facts } = served.open(name, caller) as OpenThreads;
    return { name, description: facts.compiled.options.description ?? null };
  });
  return Response.json({ protocolVersion: PROTOCOL_VERSION, agents }, noStore);
}

/** What is wrong with the input is an event of the protocol, as is what the thread refuses. */
async function run(open: OpenThreads, body: unknown): Promise<Response> {
  try {
    return await submit(open, parseInput(body));
  } catch (error) {
    const refusal = refusalOf(error, { method: "POST", path: "" });
    if (refusal === null || refusal.options.status >= 500 || refusal.options.code === "FORBIDDEN") throw error;
    return refusalStream(refusal);
  }
}

/** Cancels the run, which stays cancelled over restarts. */
async function stop(open: OpenThreads, threadId: string): Promise<Response> {
  open.caller.assertMay("start", open.facts.name);
  const last = (await open.threads.find(threadKey(open, { threadId })))?.turns.at(-1);
  if (last === undefined) throw threadUnknown(threadId);
  const status = await open.answers.status(last);
  if (status === "running" || status === "waiting")
    await open.answers.handle(last).cancel("The person has stopped the answer.", sender(open));
  return new Response(null, { status: 204 });
}
