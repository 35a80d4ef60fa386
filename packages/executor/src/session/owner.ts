import { WorkflowError } from "millrace";

/**
 * A session without an owner is open to everybody, and a caller without a user id may open every session.
 *
 * @throws {WorkflowError} `SESSION_FOREIGN`
 */
export function assertOwner(
  { sessionId, userId: owner }: { readonly sessionId: string; readonly userId: string | null },
  userId: string | null | undefined,
): void {
  if (owner === null || userId === null || userId === undefined || userId === owner) return;
  throw new WorkflowError({
    code: "SESSION_FOREIGN",
    message: `Session "${sessionId}" belongs to another user than "${userId}".`,
    hint: "Use a session id of this user, or leave it out for a new session.",
    details: { sessionId, userId },
  });
}

export function sessionUnknown(sessionId: string, hint: string): WorkflowError {
  const message = `There is no session "${sessionId}".`;
  return new WorkflowError({ code: "SESSION_UNKNOWN", message, hint, details: { sessionId } });
}
