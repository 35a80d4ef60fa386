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
import type { Running } from "../offer.types.js";

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
}

/**
 * Answers the open prompts that have a response. Other responses are ignored: they are late, repeated or unknown.
 *
 * @throws {HttpError} `BODY_INVALID` for responses that are no answers to forms.
 */
export async function takeAnswers(running: Running, responses: Fields): Promise<TakenAnswers> {
  const declined = new Set<string>();
  const problems = new Map<string, Refusal>();
  const open = (await running.handle.prompts()).map(({ promptId }) => promptId);
  for (const promptId of open.filter((id) => Object.hasOwn(responses, id))) {
    const { action, content = {} } = fieldsOf(responses[promptId]);
    if (action === "decline" || action === "cancel") declined.add(promptId);
    else if (action !== "accept" || !isObject(content)) throw notAnAnswer(promptId);
    else {
      const refusal = await refusalOf(running, promptId, content);
      if (refusal !== null) problems.set(promptId, refusal);
    }
  }
  return { declined, problems };
}

function notAnAnswer(promptId: string) {
  return bodyInvalid(`The response for ${JSON.stringify(promptId)} is no result of a form.`, [
    { path: `inputResponses.${promptId}`, message: 'needs `action` "accept", "decline" or "cancel", and `content`' },
  ]);
}
