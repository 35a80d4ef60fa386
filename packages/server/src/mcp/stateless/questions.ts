/**
 * Prompts of a run as requests to the client, which it answers in a later request.
 *
 * @module
 */
import { type ElicitRequestFormParams, type InputRequest, inputRequired } from "@modelcontextprotocol/server";
import type { PendingPrompt } from "millrace";
import { type Fields, fieldsOf, isObject } from "../../http/guard-json.js";
import { bodyInvalid } from "../../http/http-error.js";
import { askedAgain, formOf, type Refusal, refusalOf } from "../forms.js";
import type { Running } from "../mcp-scope.types.js";

/** Requests by the ids of the prompts. Prompts that no form can answer are left out. */
export interface Questions {
  readonly [promptId: string]: InputRequest;
}

/** @param problems Why answers were not taken, by the id of the prompt. */
export function questionsOf(
  prompts: readonly PendingPrompt[],
  { facts }: Running,
  problems: ReadonlyMap<string, Refusal> = new Map(),
): Questions {
  return Object.fromEntries(
    prompts.flatMap((prompt) => {
      const form = formOf(prompt, facts);
      if (form === null) return [];
      const problem = problems.get(prompt.promptId)?.text;
      const shown = problem === undefined ? form : askedAgain(form, problem);
      return [[prompt.promptId, inputRequired.elicit(shown as ElicitRequestFormParams)]];
    }),
  );
}

export interface TakenAnswers {
  /** Prompts that the person has declined to answer, or has closed the form of. */
  readonly declined: ReadonlySet<string>;
  readonly problems: ReadonlyMap<string, Refusal>;
  /** Who was faster, by the id of the prompt: the answers came late, or again. */
  readonly closed: ReadonlyMap<string, Refusal>;
}

/** More prompts than this are not looked up for answers that come late. */
const mostLate = 20;

/**
 * Answers the open prompts that have a response. A late or repeated response changes nothing; one for a prompt that never
 * was is ignored.
 *
 * @throws {HttpError} `BODY_INVALID` for responses that are no answers to forms.
 */
export async function takeAnswers(running: Running, responses: Fields): Promise<TakenAnswers> {
  const declined = new Set<string>();
  const problems = new Map<string, Refusal>();
  const closed = new Map<string, Refusal>();
  const open = new Set((await running.handle.prompts()).map(({ promptId }) => promptId));
  const asked = [...open].filter((id) => Object.hasOwn(responses, id));
  for (const promptId of [...asked, ...lateOf(running, responses, open)]) {
    const { action, content = {} } = fieldsOf(responses[promptId]);
    if (action === "decline" || action === "cancel") declined.add(promptId);
    else if (action !== "accept" || !isObject(content)) throw notAnAnswer(promptId);
    else {
      const refusal = await refusalOf(running, promptId, content);
      if (refusal !== null) (refusal.isClosed === true ? closed : problems).set(promptId, refusal);
    }
  }
  return { declined, problems, closed };
}

/** The answers to prompts of this run, or of its children, that are not open. */
function lateOf({ handle: { runId } }: Running, responses: Fields, open: ReadonlySet<string>): string[] {
  const isOfRun = (id: string): boolean => id.startsWith(`${runId}:`) || id.startsWith(`${runId}/`);
  const isAnswer = (id: string): boolean => fieldsOf(responses[id])["action"] === "accept";
  return Object.keys(responses)
    .filter((id) => !open.has(id) && isOfRun(id) && isAnswer(id))
    .slice(0, mostLate);
}

/** What a client is told of answers that came late, beside its result. */
export function closedMeta({ closed }: TakenAnswers): { readonly _meta?: Fields } {
  if (closed.size === 0) return {};
  const told = [...closed].map(([promptId, { code, text, answered }]) => {
    return [promptId, { code, detail: text, ...(answered !== undefined && { answered }) }];
  });
  return { _meta: { "millrace/closed": Object.fromEntries(told) } };
}

function notAnAnswer(promptId: string) {
  return bodyInvalid(`The response for ${JSON.stringify(promptId)} is no result of a form.`, [
    { path: `inputResponses.${promptId}`, message: 'needs `action` "accept", "decline" or "cancel", and `content`' },
  ]);
}
