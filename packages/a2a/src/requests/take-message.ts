/**
 * A message begins a task, or answers a question of one.
 *
 * The id of a task follows from the id of its first message, and the id of a later message is the key of its answer: a message
 * that comes again changes nothing, in any process.
 *
 * @module
 */
import type { Message, SendMessageRequest } from "@a2a-js/sdk";
import { HttpError, refusalError } from "@millrace/server/door";
import { WorkflowError } from "millrace";
import { readAnswer } from "../message/message-answer.js";
import { readParts, type TaskMessage, workflowInput } from "../message/message-input.js";
import { hashOf } from "../system.js";
import type { FoundTask } from "../tasks/found-task.types.js";
import { contextLabel, isOver, questionOf, taskLabel } from "../tasks/run-task.js";
import { standingOf } from "../tasks/task-state.js";
import { malformed } from "../wire/errors.js";
import { isFields } from "../wire/parts.js";
import type { Caller } from "./caller.js";
import { findTask, isOwnTenant } from "./find-task.js";
import type { TaskHost } from "./task-host.types.js";

/** @throws {HttpError} and {WorkflowError} for what is wrong with the message. */
export async function takeMessage(host: TaskHost, request: SendMessageRequest, caller: Caller): Promise<FoundTask> {
  const message = checked(request);
  if (message.taskId !== "") return answerTask(host, message, { tenant: request.tenant, caller });
  if (!isOwnTenant(request.tenant, caller)) throw tenantUnknown(request.tenant);
  return beginTask(host, message, caller);
}

const mostCharacters = 200;

/** @throws {HttpError} `BODY_INVALID` */
function checked({ message }: SendMessageRequest): Message {
  if (message === undefined) throw malformed("The request has no `message`.");
  const { messageId, contextId, parts } = message;
  if (messageId === "") throw malformed("The message has no `messageId`.");
  if (parts.length === 0) throw malformed("The message has no `parts`.");
  for (const [name, id] of Object.entries({ messageId, contextId }))
    if (id.length > mostCharacters) throw malformed(`\`${name}\` is longer than ${mostCharacters} characters.`);
  return message;
}

async function beginTask(host: TaskHost, message: Message, caller: Caller): Promise<FoundTask> {
  const { tenant } = caller;
  const skill = skillOf(host, message);
  caller.assertMay("start", skill);
  caller.spendStart();
  const hash = await hashOf(skill, message.contextId, message.messageId);
  const contextId = message.contextId || `context-${hash}`;
  const given: TaskMessage = { message, ...readParts(message), contextId, tenant, skill };
  const input = await (host.input?.(given) ?? workflowInput(given, host.catalog.get(skill)));
  const labels = { [taskLabel.name]: taskLabel.value, [contextLabel]: contextId };
  const handle = host.runtime.run(skill, input as never, { runId: `task-${hash}`, tenant, labels, by: caller.by });
  try {
    await handle.accepted;
  } catch (error) {
    throw WorkflowError.is(error, "RUN_ID_CONFLICT") ? messageIdUsed(message.messageId) : error;
  }
  return findTask(host, { taskId: handle.runId, tenant: "", right: "start" }, caller);
}

/** The workflow that a message names; without a name, the only one. */
function skillOf({ skills }: TaskHost, { metadata }: Message): string {
  const names = Object.keys(skills);
  const named = isFields(metadata) ? metadata["skill"] : undefined;
  if (named === undefined && names.length === 1) return names[0] as string;
  if (typeof named === "string" && Object.hasOwn(skills, named)) return named;
  const detail = named === undefined ? "The message names no skill." : `There is no skill ${JSON.stringify(named)}.`;
  throw malformed(detail, `Name one in \`metadata.skill\` of the message: ${names.join(", ")}.`);
}

interface Sender {
  readonly tenant: string;
  readonly caller: Caller;
}

async function answerTask(host: TaskHost, message: Message, { tenant, caller }: Sender): Promise<FoundTask> {
  const { taskId, contextId, messageId } = message;
  const task = await findTask(host, { taskId, tenant, right: "answer" }, caller);
  if (contextId !== "" && contextId !== task.contextId)
    throw malformed(`The task ${JSON.stringify(taskId)} does not belong to the context ${JSON.stringify(contextId)}.`);
  const standing = await standingOf(task.handle);
  const { prompts, summary } = standing;
  const open = prompts.map((prompt) => questionOf(prompt, summary.workflow, host));
  const { promptId, fields } = readAnswer(message, open);
  const receipt = await task.handle.answer(promptId, fields, { key: `a2a ${messageId}`, by: caller.by });
  if (receipt.status === "refused") throw refusalError(isOver(standing) ? { code: "RUN_FINISHED", hint: "" } : receipt);
  return task;
}

function messageIdUsed(messageId: string): HttpError {
  return new HttpError({
    status: 409,
    code: "RUN_ID_CONFLICT",
    detail: `The message id ${JSON.stringify(messageId)} was used for another message.`,
    hint: "Use a new id for each message, and the same content when you repeat one.",
  });
}

function tenantUnknown(tenant: string): HttpError {
  return new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: `The request names the tenant ${JSON.stringify(tenant)}, which is not yours.`,
    hint: "Leave it out: the tenant is that of the credentials.",
  });
}
