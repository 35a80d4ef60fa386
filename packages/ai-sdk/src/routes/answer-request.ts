/**
 * The routes of chats.
 *
 * ```
 * POST   /                a message, an edit, another answer, verdicts      the answer as a stream
 * GET    /{chat}          messages, for `useChat({ messages })`
 * GET    /{chat}/stream   resumes                                           204 where nothing is to come
 * DELETE /{chat}          stops the answer
 * ```
 *
 * @module
 */
import { type DoorCaller, wrongMethod } from "@millrace/server/door";
import { chatUnknown, noRoute } from "./chat-errors.js";
import { type OpenChats, streamAnswer } from "./open-chats.js";
import { chatIdPattern, parseChatBody } from "./read-body.js";
import { submit } from "./submit.js";

export async function answerRequest(open: OpenChats, request: Request, caller: DoorCaller): Promise<Response> {
  const url = new URL(request.url);
  const path = pathIn(url.pathname, caller.basePath);
  const { method } = request;
  const { workflow } = open.flow;
  if (path === "") {
    if (method !== "POST") throw wrongMethod(["POST"]);
    const body = await parseChatBody(await caller.readBody());
    caller.assertMay(body.last.role === "assistant" ? "answer" : "start", workflow);
    return submit(open, body);
  }
  const [, id = "", rest = ""] = /^\/([^/]*)(\/.*)?$/.exec(path) ?? [];
  if (!chatIdPattern.test(id) || (rest !== "" && rest !== "/stream")) throw noRoute();
  if (method === "GET") caller.assertMay("read", workflow);
  if (rest === "/stream") {
    if (method !== "GET") throw wrongMethod(["GET"]);
    return resume(open, id, url.searchParams.get("have"));
  }
  if (method === "GET") return messages(open, id);
  if (method === "DELETE") {
    caller.assertMay("start", workflow);
    return stop(open, id);
  }
  throw wrongMethod(["GET", "DELETE"]);
}

/** Of hosts that mount the handler elsewhere than they say, nothing is found. */
function pathIn(path: string, basePath: string): string {
  if (path !== basePath && !path.startsWith(`${basePath}/`)) throw noRoute();
  return path.slice(basePath.length).replace(/\/$/, "");
}

/** The messages up to the last one that has ended or asks something. An answer at work is left to the stream. */
async function messages({ chats, answers }: OpenChats, id: string): Promise<Response> {
  const { turns } = (await chats.find(id)) ?? { turns: [] };
  const all = await Promise.all(turns.map((turn) => answers.read(turn)));
  const list = all.flatMap(({ message, answer }) => (answer === null ? [message] : [message, answer]));
  return Response.json(list, { headers: { "cache-control": "no-store" } });
}

/**
 * The last answer, from its beginning.
 *
 * @param have Id of the answer that the page has to its end. A page that says it gets an answer that has ended while
 * it was away, too.
 */
async function resume(open: OpenChats, id: string, have: string | null): Promise<Response> {
  const last = (await open.chats.find(id))?.turns.at(-1);
  const status = last === undefined ? "missing" : await open.answers.status(last);
  const isToCome = status === "running" || (have !== null && have !== last?.runId && status !== "missing");
  if (last === undefined || !isToCome) return new Response(null, { status: 204 });
  return streamAnswer(open, last);
}

/** Cancels the run, which stays cancelled over restarts. */
async function stop({ chats, answers }: OpenChats, id: string): Promise<Response> {
  const chat = await chats.find(id);
  if (chat === null) throw chatUnknown(id);
  const last = chat.turns.at(-1);
  const status = last === undefined ? "missing" : await answers.status(last);
  if (last !== undefined && (status === "running" || status === "waiting"))
    await answers.handle(last).cancel("The person has stopped the answer.");
  return new Response(null, { status: 204 });
}
