/**
 * Deletes a chat with its turns and runs, also those of replaced turns.
 *
 * The chat takes no messages once the deletion has begun. A deletion that a dead process has begun is ended by the next
 * one.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { runIdOf, runsOf } from "../chat/chats.js";
import { passed } from "../system.js";
import { chatBusy, chatUnknown } from "./chat-errors.js";
import type { OpenChats } from "./open-chats.js";

export async function deleteChat(open: OpenChats, id: string): Promise<Response> {
  const { chats, answers } = open;
  const found = await chats.stored(id);
  if (found === null) throw chatUnknown(id);
  const chat = await chats.beginDelete(found);
  if (chat === null) throw chatBusy();
  for (let number = chat.count; number > 0; number--)
    await deleteRun(open, answers.handle({ runId: runIdOf(chat, number) }));
  await chats.endDelete(chat, runsOf(id));
  return new Response(null, { status: 204 });
}

const mostAttempts = 20;
const delayMs = 100;

/** A run that some process holds is cancelled first. */
async function deleteRun({ runtime, tenant, by }: OpenChats, handle: RunHandle): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runtime.delete(handle.runId, { tenant, by });
    } catch (error) {
      if (WorkflowError.is(error, "RUN_UNKNOWN")) return;
      if (!WorkflowError.is(error, "RUN_LIVE")) throw error;
      if (attempt === mostAttempts) throw chatBusy();
    }
    await handle.cancel("The chat is deleted.", { by });
    await passed(delayMs);
  }
}
