/**
 * A request to a link: shows its prompt, or answers it.
 *
 * ```
 * request ──► signature, expiry ──► open prompt of the run ──► its form (GET)
 *                                        └──► body or form ──► answer ──► page, JSON or the reply of the link
 * ```
 *
 * The link is the credential, so nothing else is asked for. One answer counts; the same body sent again gets the same response.
 *
 * @module
 */
import { type Log, type PendingPrompt, QuestionEvent, WorkflowError } from "millrace";
import type { RunHandle, Runtime } from "millrace/runtime";
import { answerError, refusalError } from "../http/answer-error.js";
import { guardJson } from "../http/guard-json.js";
import { HttpError, type Issue, wrongMethod } from "../http/http-error.js";
import { json } from "../http/json.js";
import { type BodyLimits, parseBody, readBodyText } from "../http/read-body.js";
import { nowMs } from "../system.js";
import { toPrompt } from "../wire/handler-record.js";
import type { WorkflowCatalog } from "../wire/workflow-facts.js";
import { type AnswerSchema, answerOfForm, type FormTexts, formFields } from "./form.js";
import { formPage, messagePage } from "./page.js";
import type { LinkFacts, LinkSigner } from "./token.js";

/** What answers links. */
export interface LinkHost {
  // biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows; an answer is checked by the question that it answers.
  readonly runtime: Runtime<any>;
  readonly catalog: WorkflowCatalog;
  readonly limits: BodyLimits;
  readonly log: Log;
}

export interface LinkDoor {
  readonly host: LinkHost;
  readonly signer: LinkSigner;
}

/** @param token The last part of the path. */
export async function answerLink({ host, signer }: LinkDoor, request: Request, token: string): Promise<Response> {
  const isPage = wantsPage(request);
  try {
    const facts = await signer.verify(token, nowMs());
    return await answered(host, { request, facts, isPage });
  } catch (error) {
    // The path is left out: whoever reads the log could use it.
    const response = answerError(error, { method: request.method, path: "a link" }, host.log);
    return isPage ? pageOf(response) : response;
  }
}

interface LinkRequest {
  readonly request: Request;
  readonly facts: LinkFacts;
  readonly isPage: boolean;
}

async function answered(host: LinkHost, asked: LinkRequest): Promise<Response> {
  const { request, facts } = asked;
  const { methods = ["POST"] } = facts;
  const answers = (methods as readonly string[]).includes(request.method);
  const looks = request.method === "GET" || request.method === "HEAD";
  if (!answers && !looks) throw wrongMethod(["GET", ...methods]);
  const found = await findRun(host, facts);
  const prompt = found.prompts.find(({ promptId }) => promptId === facts.prompt);
  if (!answers) {
    if (prompt === undefined) throw promptClosed();
    return show(host, { ...asked, ...found }, prompt);
  }
  return take(host, { ...asked, ...found, prompt });
}

interface Found {
  readonly handle: RunHandle;
  readonly workflow: string;
  readonly prompts: readonly PendingPrompt[];
}

/** A link that a step of a child has made names the child, whose run belongs to that of its parent. */
async function findRun({ runtime }: LinkHost, { run, tenant = "" }: LinkFacts): Promise<Found> {
  for (let runId = run; ; runId = runId.slice(0, runId.lastIndexOf("/"))) {
    const handle = runtime.handle(runId, { tenant });
    try {
      return { handle, workflow: (await handle.summary()).workflow, prompts: await handle.prompts() };
    } catch (error) {
      if (!WorkflowError.is(error, "RUN_UNKNOWN")) throw error;
      if (!runId.includes("/")) throw promptClosed();
    }
  }
}

async function show(host: LinkHost, asked: LinkRequest & Found, prompt: PendingPrompt): Promise<Response> {
  const { title, details, schema } = shownOf(host, prompt, asked.workflow);
  if (!asked.isPage) return json({ title, details, schema });
  return formPage({ title, details, fields: formFields(schema), texts: {}, issues: [] });
}

interface Shown {
  readonly title: string;
  readonly details: unknown;
  readonly schema: AnswerSchema;
}

function shownOf({ catalog }: LinkHost, prompt: PendingPrompt, workflow: string): Shown {
  const { event, answer } = toPrompt(prompt, catalog.find(workflow));
  const schema = (answer?.schema ?? {}) as AnswerSchema;
  if (QuestionEvent.is(prompt.event)) return { title: prompt.event.title, details: prompt.event.details, schema };
  return { title: prompt.event.type, details: event.value, schema };
}

type Answering = LinkRequest & Found & { readonly prompt: PendingPrompt | undefined };

async function take(host: LinkHost, answering: Answering): Promise<Response> {
  const { request, facts, handle, isPage } = answering;
  const sent = await readSent(request, host.limits);
  const shown = answering.prompt === undefined ? null : shownOf(host, answering.prompt, answering.workflow);
  try {
    const fields =
      sent.texts === null
        ? sent.json
        : answerOfForm(formFields(shown?.schema ?? {}), sent.texts, host.limits.bodyDepth);
    const receipt = await handle.answer(facts.prompt, fields, {
      key: await keyOf(facts, sent.text),
      by: { door: "link" },
    });
    if (receipt.status === "refused") throw refusalError(receipt);
  } catch (error) {
    const issues = isPage && shown !== null ? issuesOf(error) : null;
    if (issues === null || shown === null) throw error;
    return formPage({ ...shown, fields: formFields(shown.schema), texts: sent.texts ?? {}, issues }, 400);
  }
  if (facts.reply !== undefined)
    return new Response(facts.reply, { headers: { "content-type": "text/plain; charset=utf-8" } });
  return isPage
    ? messagePage("Thank you", "Your answer was recorded. You can close this page.")
    : json({ status: "accepted" });
}

/** What is wrong with an answer, for the form; `null` for other errors. */
function issuesOf(error: unknown): readonly Issue[] | null {
  if (error instanceof HttpError && error.options.code === "BODY_INVALID") return error.options.issues ?? [];
  if (!WorkflowError.is(error, "EVENT_INVALID")) return null;
  const { issues } = error.details as { readonly issues?: readonly Issue[] };
  return issues ?? [{ path: "", message: error.message }];
}

interface Sent {
  /** As it was sent, by which a delivery that is repeated is known. */
  readonly text: string;
  readonly json: object;
  /** Of a form; `null` for JSON. */
  readonly texts: FormTexts | null;
}

/** @throws {HttpError} `BODY_INVALID`, `BODY_NOT_JSON`, `BODY_TOO_LARGE`, `BODY_TIMEOUT` */
async function readSent(request: Request, limits: BodyLimits): Promise<Sent> {
  if (request.method === "GET") return ofForm(new URL(request.url).search.slice(1), limits);
  const text = await readBodyText(request, limits);
  const type = request.headers.get("content-type");
  if (/^\s*application\/x-www-form-urlencoded\b/i.test(type ?? "")) return ofForm(text, limits);
  return { text, json: parseBody(text, type, limits) as object, texts: null };
}

function ofForm(text: string, { bodyDepth }: BodyLimits): Sent {
  const texts: FormTexts = Object.fromEntries(new URLSearchParams(text));
  guardJson(texts, bodyDepth);
  return { text, json: {}, texts };
}

async function keyOf({ prompt }: LinkFacts, text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `link ${prompt} ${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** A browser asks for pages; senders of webhooks do not. */
function wantsPage({ headers }: Request): boolean {
  return /\btext\/html\b/i.test(headers.get("accept") ?? "");
}

async function pageOf(response: Response): Promise<Response> {
  const { detail, hint = "" } = (await response.json()) as { readonly detail: string; readonly hint?: string };
  const title = response.status < 500 ? "This link cannot be used" : "Something went wrong";
  const page = await messagePage(title, `${detail} ${hint}`.trim(), response.status);
  for (const name of ["allow", "retry-after"]) {
    const value = response.headers.get(name);
    if (value !== null) page.headers.set(name, value);
  }
  return page;
}

function promptClosed(): HttpError {
  return refusalError({ code: "PROMPT_CLOSED", hint: "" });
}
