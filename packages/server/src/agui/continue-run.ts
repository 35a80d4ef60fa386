/**
 * Answers to interrupts, and results of tools of the client, for the last run of a thread.
 *
 * @module
 */
import type { ResumeEntry, RunAgentInput } from "@ag-ui/core";
import type { PendingPrompt } from "millrace";
import { digest } from "millrace/engine";
import type { RunHandle } from "millrace/runtime";
import { refusalError } from "../http/answer-error.js";
import { bodyInvalid, type HttpError } from "../http/http-error.js";
import { streamAnswer } from "./answer-stream.js";
import { fieldsOf, isForClient } from "./interrupts.js";
import { toolResults } from "./read-input.js";
import { interruptUnknown, resumeIncomplete } from "./refusals.js";
import { lacks, messagesBefore, type OpenThreads, type Place, sender, viewOf } from "./threads.js";

/** What a client says to a prompt. */
interface Answer {
  readonly promptId: string;
  readonly fields: object;
  /** Equal for the same answer, which counts once. */
  readonly key: string;
}

/** Every open interrupt is answered at once. The same answers may come again. */
export async function resume(open: OpenThreads, at: Place, input: RunAgentInput): Promise<Response> {
  open.caller.assertMay("answer", open.facts.name);
  const handle = open.answers.handle(at.last);
  const entries = input.resume ?? [];
  const given = new Set(entries.map(({ interruptId }) => interruptId));
  const prompts = at.status === "missing" ? [] : await handle.prompts();
  const missing = prompts.filter((prompt) => !isForClient(prompt) && !given.has(prompt.promptId));
  if (missing.length > 0) throw resumeIncomplete(missing.map(({ promptId }) => promptId));
  const said = entries.flatMap((entry) => saidOf(at, prompts, entry));
  const isRepeated = entries.some(({ interruptId }) => prompts.every(({ promptId }) => promptId !== interruptId));
  if (said.includes("cancel")) {
    const { lastEvent: skipTo } = await handle.summary();
    await handle.cancel("The person has given no answer.", sender(open));
    return continued(open, at, { input, handle, skipTo, isRepeated });
  }
  const answers = [...(said as Answer[]), ...(await toolAnswers(open, handle, { prompts, input }))];
  return take(open, at, { input, handle, answers, isRepeated });
}

/** `null`: the client brings no result that a call waits for. */
export async function answerTools(open: OpenThreads, at: Place, input: RunAgentInput): Promise<Response | null> {
  if (at.status !== "waiting") return null;
  const handle = open.answers.handle(at.last);
  const answers = await toolAnswers(open, handle, { prompts: await handle.prompts(), input });
  return answers.length === 0 ? null : take(open, at, { input, handle, answers, isRepeated: false });
}

/**
 * A prompt that is closed gets what was said again: the run knows whether it is the same. To send none of the answers
 * is how a client leaves one behind that has expired.
 */
function saidOf({ last }: Place, prompts: readonly PendingPrompt[], entry: ResumeEntry): Answer | "cancel" | [] {
  const { interruptId: promptId, payload } = entry;
  const prompt = prompts.find((one) => one.promptId === promptId);
  const isOfRun = promptId.startsWith(`${last.runId}:`) || promptId.startsWith(`${last.runId}/`);
  if (prompt === undefined && !isOfRun) throw interruptUnknown(promptId);
  if (prompt === undefined && entry.status === "cancelled") return [];
  const fields = prompt === undefined ? (Object(payload) as object) : fieldsOf(prompt, entry);
  if (fields === null) throw wrongPayload(promptId);
  const { status } = entry;
  return fields === "cancel" ? fields : { promptId, fields, key: keyOf([promptId, status, payload ?? null]) };
}

const keyOf = (said: readonly unknown[]): string => `agui.${digest(JSON.stringify(said))}`;

function wrongPayload(promptId: string): HttpError {
  const issues = [{ path: "resume.payload", message: `an object, for the interrupt ${JSON.stringify(promptId)}` }];
  return bodyInvalid(`The answer to the interrupt ${JSON.stringify(promptId)} is no object.`, issues);
}

interface Asked {
  readonly prompts: readonly PendingPrompt[];
  readonly input: RunAgentInput;
}

async function toolAnswers(open: OpenThreads, handle: RunHandle, { prompts, input }: Asked): Promise<Answer[]> {
  const results = toolResults(input.messages);
  const asked = prompts.filter(isForClient);
  if (asked.length === 0 || results.size === 0) return [];
  const view = await viewOf(handle, open.map);
  return asked.flatMap((prompt) => {
    const { promptId } = prompt;
    const toolCallId = view.callOf(prompt)?.toolCallId ?? "";
    if (!results.has(toolCallId)) return [];
    const output = results.get(toolCallId);
    return [{ promptId, fields: { output }, key: keyOf([promptId, output]) }];
  });
}

interface Continuing {
  readonly input: RunAgentInput;
  readonly handle: RunHandle;
  /** `true`: the answers have come before. What followed from them was shown, to somebody. */
  readonly isRepeated: boolean;
}

async function take(
  open: OpenThreads,
  at: Place,
  { answers, ...continuing }: Continuing & { readonly answers: readonly Answer[] },
): Promise<Response> {
  open.caller.assertMay("answer", open.facts.name);
  const { handle } = continuing;
  const { lastEvent: skipTo } = await handle.summary();
  for (const { promptId, fields, key } of answers) {
    const receipt = await handle.answer(promptId, fields, { key, ...sender(open) });
    if (receipt.status === "refused") throw refusalError(receipt);
  }
  return continued(open, at, { ...continuing, skipTo });
}

/** Only what follows, for a client that has the rest. */
async function continued(
  open: OpenThreads,
  { thread }: Place,
  { input, handle, skipTo, isRepeated }: Continuing & { readonly skipTo: number },
): Promise<Response> {
  const before = await messagesBefore(open, thread.turns);
  const isJoined = isRepeated || lacks(input.messages, before);
  const answered = new Set(toolResults(input.messages).keys());
  return streamAnswer(open, { handle, input, before, skipTo, isJoined, answered });
}
