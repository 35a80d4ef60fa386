/** Refusals of the chat routes. */
import { HttpError } from "@millrace/server/door";

export function chatUnknown(id: string): HttpError {
  const detail = `There is no chat ${JSON.stringify(id)}.`;
  return new HttpError({
    status: 404,
    code: "CHAT_UNKNOWN",
    detail,
    hint: "Send a message first: that begins a chat.",
  });
}

export function chatBusy(): HttpError {
  return new HttpError({
    status: 409,
    code: "CHAT_BUSY",
    detail: "Another message of this chat is being answered.",
    hint: "Resume its stream, and send the message when the answer is there, or stop it first.",
  });
}

export function messageUnknown(id: string): HttpError {
  return new HttpError({
    status: 409,
    code: "MESSAGE_UNKNOWN",
    detail: `The message ${JSON.stringify(id)} is not the one of this chat that this needs.`,
    hint: "Load the messages of the chat again: another page may have changed it.",
  });
}

export function promptClosed(): HttpError {
  return new HttpError({
    status: 409,
    code: "PROMPT_CLOSED",
    detail: "Nothing of what is answered here is asked any more: it was answered, refused or withdrawn.",
    hint: "Resume the stream of the chat, which shows how it went on.",
  });
}

export function limitInvalid(limit: string, most: number): HttpError {
  const detail = `\`limit\` is ${JSON.stringify(limit)}; it is an integer from 1 to ${most}.`;
  return new HttpError({ status: 400, code: "QUERY_INVALID", detail });
}

export function noRoute(): HttpError {
  return new HttpError({ status: 404, code: "NOT_FOUND", detail: "There is nothing here." });
}
