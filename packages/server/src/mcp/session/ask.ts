/**
 * Asks the person behind the client of a session about the prompts of a run.
 *
 * @module
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { PendingPrompt } from "millrace";
import { cleanText } from "../../http/clean-text.js";
import { askedAgain, type Form, formOf, refusalOf, showsForms } from "../forms.js";
import type { Offer, Running, ToolCall } from "../mcp-scope.types.js";

export interface Asking {
  readonly server: Server;
  readonly offer: Offer;
  readonly running: Running;
  readonly call: ToolCall;
  /** Prompts that were declined; they are not put to the person again. */
  readonly declined: Set<string>;
}

/** How often a person is asked whose answers are invalid. */
const mostTries = 3;

/** Returns `false` if the prompt stays open and will not be answered here. */
export async function ask(asking: Asking, prompt: PendingPrompt): Promise<boolean> {
  const { server, running, declined } = asking;
  const { promptId } = prompt;
  const question = showsForms(server.getClientCapabilities()) ? formOf(prompt, running.facts) : null;
  if (question === null || declined.has(promptId)) return false;
  let form = question;
  for (let tries = 0; tries < mostTries; tries++) {
    const answer = await answerOf(asking, form);
    if (answer === null) return false;
    if (answer === "declined") {
      declined.add(promptId);
      return false;
    }
    const problem = "problem" in answer ? answer.problem : await problemOf(running, promptId, answer.content);
    if (problem === null) return true;
    form = askedAgain(question, problem);
  }
  return false;
}

/** `null`: the run has taken the answer, or another one before. */
async function problemOf(running: Running, promptId: string, content: object): Promise<string | null> {
  const refusal = await refusalOf(running, promptId, content);
  return refusal === null || refusal.isClosed === true ? null : refusal.text;
}

type Answer = { readonly content: object } | { readonly problem: string };

/** Returns `null` if the person does not answer, for any reason; the prompt stays open. */
async function answerOf(asking: Asking, form: Form): Promise<Answer | "declined" | null> {
  const { server, running, offer, call } = asking;
  const { signal, requestId } = call;
  try {
    // Over HTTP, the question goes to the stream of the call.
    const options = { signal, timeout: offer.waitMs, relatedRequestId: requestId };
    const { action, content } = await server.elicitInput(form, options);
    if (action !== "accept") return action === "decline" ? "declined" : null;
    const isEmptyForm = Object.keys(form.requestedSchema.properties).length === 0;
    return content === undefined && !isEmptyForm ? { problem: "it is empty." } : { content: content ?? {} };
  } catch (error) {
    if (signal.aborted) return null;
    // The SDK has checked the answer against the form and refused it.
    if (error instanceof McpError && error.code === ErrorCode.InvalidParams)
      return { problem: cleanText(error.message) };
    offer.log.error(`Run "${running.handle.runId}" has a prompt, and the client could not ask for the answer.`, error);
    return null;
  }
}
