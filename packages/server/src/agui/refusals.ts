/** What is refused on a thread: clients get it as `RUN_ERROR`. */
import { HttpError } from "../http/http-error.js";

const refused = (code: string, detail: string, hint: string): HttpError =>
  new HttpError({ status: 409, code, detail, hint });

export const threadBusy = (): HttpError =>
  refused(
    "THREAD_BUSY",
    "Another message of this thread is being answered.",
    "Run the agent without a new message: that shows the answer under way.",
  );

export const interruptOpen = (ids: readonly string[]): HttpError =>
  refused(
    "INTERRUPT_OPEN",
    `The thread waits for an answer to ${ids.map((id) => JSON.stringify(id)).join(", ")}.`,
    "Answer or cancel every interrupt with `resume` before the next message.",
  );

export const resumeIncomplete = (ids: readonly string[]): HttpError =>
  refused(
    "RESUME_INCOMPLETE",
    `\`resume\` has no entry for ${ids.map((id) => JSON.stringify(id)).join(", ")}.`,
    "Answer or cancel every open interrupt of the thread at once.",
  );

export const interruptUnknown = (id: string): HttpError =>
  refused(
    "INTERRUPT_UNKNOWN",
    `The thread has no interrupt ${JSON.stringify(id)}.`,
    "Use the `threadId` of the run that was interrupted, and the ids of its last interrupts.",
  );

export const messageMissing = (): HttpError =>
  refused(
    "MESSAGE_MISSING",
    "The thread has no message yet, and the request brings none.",
    "Send a message of the role `user` as the last one.",
  );

export const workflowUnknown = (name: string): HttpError =>
  new HttpError({
    status: 404,
    code: "WORKFLOW_UNKNOWN",
    detail: `There is no workflow ${JSON.stringify(name)} here.`,
    hint: "The root of this path lists the existing ones.",
  });

export const threadUnknown = (id: string): HttpError =>
  new HttpError({ status: 404, code: "THREAD_UNKNOWN", detail: `There is no thread ${JSON.stringify(id)}.` });
