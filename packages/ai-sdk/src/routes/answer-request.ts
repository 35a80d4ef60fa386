/**
 * The routes of chats.
 *
 * ```
 * GET    /                the chats, the latest first, in pages
 * POST   /                a message, an edit, another answer, verdicts      the answer as a stream
 * GET    /{chat}          messages, for `useChat({ messages })`
 * DELETE /{chat}          deletes the chat
 * GET    /{chat}/stream   resumes                                           204 where nothing is to come
 * DELETE /{chat}/stream   stops the answer
 * ```
 *
 * @module
 */
import { type DoorCaller, wrongMethod } from "@millrace/server/door";
import { chatUnknown, limitInvalid, noRoute } from "./chat-errors.js";
import { deleteChat } from "./delete-chat.js";
import { type OpenChats, streamAnswer } from "./open-chats.js";
import { chatIdPattern, parseChatBody } from "./read-body.js";
import { submit } from "./submit.js";

export async function answerRequest(open: OpenChats, request: Request, caller: DoorCaller): Promise<Response> {
  const url = new URL(request.url);
  const path = pathIn(url.pathname, caller.basePath);
  const { method } = request;
  const { workflow } = open.flow;
  if (path === "") {
    if (method === "GET") {
      caller.assertMay("read", workflow);
      return list(open, url.searchParams);
    }
    if (method !== "POST") throw wrongMethod(["GET", "POST"]);
    const body = await parseChatBody(await caller.readBody());
    caller.assertMay(body.last.role === "assistant" ? "answer" : "start", workflow);
    return submit(open, body);
  }
  const [, id = "", rest = ""] = /^\/([^/]*)(\/.*)?$/.exec(path) ?? [];
  if (!chatIdPattern.test(id) || (rest !== "" && rest !== "/stream")) throw noRoute();
  const isStream = rest === "/stream";
  if (method === "GET") {
    caller.assertMay("read", workflow);
    return isStream ? resume(open, id, url.searchParams.get("have")) : messages(open, id);
  }
  if (method === "DELETE") {
    caller.assertMay("start", workflow);
    return isStream ? stop(open, id) : deleteChat(open, id);
  }
  throw wrongMethod(["GET", "DELETE"]);
}

/** Of hosts that mount the handler elsewhere than they say, nothing is found. */
function pathIn(path: string, basePath: string): string {
  if (path !== basePath && !path.startsWith(`${basePath}/`)) throw noRoute();
  return path.slice(basePath.length).replace(/\/$/, "");
}

const notStored = { headers: { "cache-control": "no-store" } };
const mostChats = 100;
const usualChats = 50;

async function list({ chats }: OpenChats, query: URLSearchParams): Promise<Response> {
  const [limit, cursor] = [query.get("limit") ?? String(usualChats), query.get("cursor")];
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > mostChats) throw limitInvalid(limit, mostChats);
  const page = await chats.list({ limit: Number(limit), ...(cursor !== null && { cursor }) });
  const listed = page.conversations.map(({ id, title, updatedAtMs }) => ({
    ...{ id, title, updatedAt: new Date(updatedAtMs).toISOString() },
  }));
  return Response.json({ chats: listed, cursor: page.cursor }, notStored);
}

/** The messages up to the last one that has ended or asks something. An answer at work is left to the stream. */
async function messages({ chats, answers }: OpenChats, id: string): Promise<Response> {
  const { turns } = (await chats.find(id)) ?? { turns: [] };
  const all = await Promise.all(turns.map((turn) => answers.read(turn)));
  const list = all.flatMap(({ message, answer }) => (answer === null ? [message] : [message, answer]));
  return Response.json(list, notStored);
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
async function stop({ chats, answers, by }: OpenChats, id: string): Promise<Response> {
  const chat = await chats.find(id);
  if (chat === null) throw chatUnknown(id);
  const last = chat.turns.at(-1);
  const status = last === undefined ? "missing" : await answers.status(last);
  if (last !== undefined && (status === "running" || status === "waiting"))
    await answers.handle(last).cancel("The person has stopped the answer.", { by });
  return new Response(null, { status: 204 });
}
