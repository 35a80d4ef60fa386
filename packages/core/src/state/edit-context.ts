/**
 * Knows whether code runs inside an `editState` callback: always while the callback runs synchronously, and after
 * its awaits where the platform follows async context (Node, Bun, Deno, workerd). Browsers do not.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { insideEdit } from "../value/inside-edit.js";
import { withoutDrafts } from "./finish-draft.js";

/** One running callback of `editState`. */
export interface OpenEdit {
  /** What its caller has called. */
  readonly name: "editState" | "ctx.finish";
  /** The state that it edits. */
  readonly cell: object;
  /** The attempt that made it. */
  readonly token: object | undefined;
  /** The edit of another state that it was made in. */
  readonly outer: OpenEdit | null;
  /** Until the callback has settled. */
  open: boolean;
  /** What was refused inside it. */
  refusal: WorkflowError | null;
}

export function openEdit(
  name: OpenEdit["name"],
  { cell, token, outer }: Pick<OpenEdit, "cell" | "token" | "outer">,
): OpenEdit {
  return { name, cell, token, outer, open: true, refusal: null };
}

/** The edit whose callback is on the stack. */
let running: OpenEdit | null = null;

/** The part of `AsyncLocalStorage` that is used: the core imports nothing of Node, not even types. */
interface ContextStorage {
  run<Result>(edit: OpenEdit, callback: () => Result): Result;
  getStore(): OpenEdit | undefined;
}

let storage: ContextStorage | null | undefined;

/** Made with the first edit: whoever never edits does not pay for following async context. */
function contextStorage(): ContextStorage | null {
  if (storage === undefined) {
    const hooks = globalThis.process?.getBuiltinModule?.("async_hooks");
    storage = hooks ? new hooks.AsyncLocalStorage() : null;
  }
  return storage;
}

/** False where an edit can be known only while its callback runs synchronously. */
export function followsAsyncContext(): boolean {
  return contextStorage() !== null;
}

export function runInEdit<Result>(edit: OpenEdit, callback: () => Result): Result {
  return runInSyncEdit(edit, () => {
    const followed = contextStorage();
    return followed ? followed.run(edit, callback) : callback();
  });
}

/** As {@link runInEdit}, for an edit that is over when its callback returns: nobody follows what it has started. */
export function runInSyncEdit<Result>(edit: OpenEdit, callback: () => Result): Result {
  const before = running;
  running = edit;
  insideEdit.plain = plainInEdit;
  try {
    return callback();
  } finally {
    running = before;
  }
}

/** What is given away inside of an edit, without its drafts. */
export function plainInEdit(value: unknown): unknown {
  return editAround() === null ? value : withoutDrafts(value);
}

/**
 * The open edit around the caller, as far as it can be known.
 *
 * A token that differs means another attempt: it only was started from inside the callback.
 */
export function editAround(token?: object, cell?: object): OpenEdit | null {
  let edit = running ?? storage?.getStore() ?? null;
  while (edit && !(edit.open && (!cell || edit.cell === cell) && (!token || !edit.token || edit.token === token)))
    edit = edit.outer;
  return edit;
}

/**
 * Refuses what would wait for the lock that its own edit holds.
 *
 * @throws {WorkflowError} `STATE_LOCKED` inside an `editState` callback.
 */
export function refuseInsideEdit(what: string, token?: object, cell?: object): void {
  const edit = editAround(token, cell);
  if (!edit) return;
  edit.refusal = new WorkflowError({
    code: "STATE_LOCKED",
    message: `\`${what}\` was called inside \`${edit.name}\`.`,
    hint: `Change the draft there, and call \`${what}\` ${edit.name === "editState" ? "before or after the edit" : "before"}.`,
    details: { what, inside: edit.name },
  });
  throw edit.refusal;
}
