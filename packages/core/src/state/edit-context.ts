/**
 * Knows inside which callback of `ctx.run` or `editState` code runs: always while the callback runs synchronously, and after its
 * awaits where the platform follows async context (Node, Bun, Deno, workerd). Browsers do not.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { insideEdit } from "../value/kind.js";
import { withoutDrafts } from "./finish-draft.js";

/** One running callback. */
export interface OpenCall {
  /** Method that was called. */
  readonly name: "editState" | "ctx.finish" | "ctx.run" | "call.finish";
  /** Call id in the work item; `null` if what is done inside belongs to the step. */
  readonly call: string | null;
  /** The state that it edits; `null` for `ctx.run`. */
  readonly cell: object | null;
  /** The attempt that made it. */
  readonly token: object | undefined;
  /** The callback that it was made in. */
  readonly outer: OpenCall | null;
  /** `true` until the callback settles. */
  open: boolean;
  /** Error of a refused call inside. The outer call fails with it, whether its callback awaits it or not. */
  refusal: WorkflowError | null;
  /** Sends of the host that were made inside: they leave with the record of the call. */
  sends: object[] | null;
  /** `true` if it has written to the stream. */
  hasShown: boolean;
  /** Events that an edit shows to readers when it counts; `null` for none, and for other calls, which show at once. */
  shown: object[] | null;
  /** Object that `call.finish` passed to its function; `null` for none. */
  end: object | null;
  /** The edit of `call.finish`, while its callback runs. */
  ending: OpenCall | null;
  /** How many calls of each name were made inside; `null` before the first. */
  counts: Map<string, number> | null;
  /** Why it has ended while its callback still runs: later writes inside are ignored. */
  fault: WorkflowError | null;
}

export function openCall(
  name: OpenCall["name"],
  { call, cell, token, outer }: Pick<OpenCall, "call" | "cell" | "token" | "outer">,
): OpenCall {
  return {
    name,
    call,
    cell,
    token,
    outer,
    open: true,
    refusal: null,
    sends: null,
    hasShown: false,
    shown: null,
    end: null,
    ending: null,
    counts: null,
    fault: null,
  };
}

/** The call whose callback is on the stack. */
let running: OpenCall | null = null;

/** The part of `AsyncLocalStorage` that is used: the core imports nothing of Node, not even types. */
interface ContextStorage {
  run<Given extends unknown[], Result>(call: OpenCall, inside: (...given: Given) => Result, ...given: Given): Result;
  getStore(): OpenCall | undefined;
}

let storage: ContextStorage | null | undefined;

/** Created with the first call: programs without one do not pay for async context. */
function contextStorage(): ContextStorage | null {
  if (storage === undefined) {
    const hooks = globalThis.process?.getBuiltinModule?.("async_hooks");
    storage = hooks ? new hooks.AsyncLocalStorage() : null;
  }
  return storage;
}

/** False where a call can be known only while its callback runs synchronously. */
export function followsAsyncContext(): boolean {
  return contextStorage() !== null;
}

export function runInCall<Result>(call: OpenCall, callback: () => Result): Result {
  const followed = contextStorage();
  return followed ? followed.run(call, runInSyncCall<Result>, call, callback) : runInSyncCall(call, callback);
}

/** Works like {@link runInCall}, for a synchronous callback: work that it starts is not tracked. */
export function runInSyncCall<Result>(call: OpenCall, callback: () => Result): Result {
  const before = running;
  running = call;
  if (call.cell !== null) insideEdit.plain = plainInEdit;
  try {
    return callback();
  } finally {
    running = before;
  }
}

/** Returns the value without drafts, if it leaves a running edit. */
export function plainInEdit(value: unknown): unknown {
  return editAround() === null ? value : withoutDrafts(value);
}

/** The call whose callback the caller is in, if it is in one; it may be over. */
function innermost(): OpenCall | null {
  return running ?? storage?.getStore() ?? null;
}

/** Returns whether the caller is inside an open call, as nearly no call of a step is. */
export function isInCall(): boolean {
  return innermost() !== null;
}

/** The innermost open call around the caller that fits. */
function around(fits: (call: OpenCall) => boolean): OpenCall | null {
  let call = innermost();
  while (call !== null && !(call.open && fits(call))) call = call.outer;
  return call;
}

/**
 * The open edit around the caller, as far as it can be known.
 *
 * A token that differs means another attempt: it only was started from inside the callback.
 */
export function editAround(token?: object, cell?: object): OpenCall | null {
  return around(
    (call) => call.cell !== null && (!cell || call.cell === cell) && (!token || !call.token || call.token === token),
  );
}

/** The open call of this attempt around the caller, as far as it can be known: what is done there belongs to it. */
export function callAround(token: object): OpenCall | null {
  const call = around((open) => open.token === token);
  return call?.call == null ? null : call;
}

/** @throws {WorkflowError} when a call of this attempt around the caller is over. */
export function assertInTime(token: object): void {
  for (let call = innermost(); call !== null; call = call.outer)
    if (call.fault !== null && call.token === token) throw call.fault;
}

/** Returns the open call in which a new call is made. Calls of other attempts are not kept, or a run would keep a chain of them. */
export function outerCall(token: object | undefined): OpenCall | null {
  return around((call) => call.cell !== null || call.token === token);
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

/**
 * The promise of a call, which records whether its outcome is awaited.
 *
 * After a forgotten `await`, it is not.
 */
export class CallPromise<Value> extends Promise<Value> {
  /** `true` if it was awaited, or given to `then`, `catch`, `finally` or a combinator such as `Promise.all`. */
  isTaken = false;

  /** Marks its rejection as handled, without taking it. */
  markHandled(): this {
    void this.settled();
    return this;
  }

  /** Resolves when it is settled, without taking it. */
  settled(): Promise<unknown> {
    const { isTaken } = this;
    const settled = this.catch(ignore);
    this.isTaken = isTaken;
    return settled;
  }
}

// Whoever takes a promise looks at its constructor, `await` too, which never calls an overridden `then`; and finds the usual
// one, so that awaiting costs as much as ever.
Object.defineProperty(CallPromise.prototype, "constructor", {
  get(this: CallPromise<unknown>) {
    this.isTaken = true;
    return Promise;
  },
});

function ignore(): void {}

/** A call that has failed. */
export interface FailedCall {
  readonly call: CallPromise<unknown>;
  readonly error: unknown;
}
