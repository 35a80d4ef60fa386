/**
 * The host of a run: synchronous. `sendEvent` returns after every handler that it reaches has been called.
 *
 * All handlers share one queue: an event that one of them has taken no longer counts for the others, except for those that its
 * arrival has completed, too.
 *
 * @module
 */
import { AsyncContext } from "./entries/async-context.js";
import type { WorkflowEvent, WorkflowEventData } from "./event.js";
import { WorkflowStream } from "./stream.js";
import { createSubscribable, type Subscribable } from "./subscribable.js";
import { warn } from "./warn.js";

/** What a workflow calls when the events that it accepts have come. */
export type Handler<
  AcceptEvents extends WorkflowEvent<any>[],
  Result extends WorkflowEventData<any> | void,
  Context extends WorkflowContext = WorkflowContext,
> = (
  context: Context,
  ...events: { [Key in keyof AcceptEvents]: ReturnType<AcceptEvents[Key]["with"]> }
) => Result | Promise<Result>;

export type AnyHandler = (context: any, ...events: any[]) => unknown;

export interface Registered {
  readonly accept: readonly WorkflowEvent<any>[];
  readonly handler: AnyHandler;
}

interface BaseHandlerContext {
  abortController: AbortController;
  handler: Handler<WorkflowEvent<any>[], any>;
  inputEvents: WorkflowEvent<any>[];
  inputs: WorkflowEventData<any>[];
  outputs: WorkflowEventData<any>[];
  prev: HandlerContext;
  next: Set<HandlerContext>;
  root: HandlerContext;
}

/** One call of a handler, with the call that has sent what it got (`prev`) and those that got what it has sent (`next`). */
export type HandlerContext = BaseHandlerContext &
  ({ async: false; pending: null } | { async: true; pending: Promise<WorkflowEventData<any> | void> | null });

/** What a handler, and the owner of a run, work with. */
export type WorkflowContext = {
  /** Events from the first use of this property on: all of the run; for a handler, those that come of it. */
  get stream(): WorkflowStream<WorkflowEventData<any>>;
  /** Aborts when a synchronous handler throws: the signal of that handler if it has used it, else that of the run. */
  get signal(): AbortSignal;
  /** Sends events, one after another. Handlers that they complete are called before it returns. */
  sendEvent: (...events: WorkflowEventData<any>[]) => void;
  __internal__call_send_event: Subscribable<[event: WorkflowEventData<any>, handlerContext: HandlerContext], void>;
  __internal__property_inheritance_handlers?: Map<string, InheritanceTransformer>;
};

/** Makes the property of a handler's context from that of the run. */
export type InheritanceTransformer = (
  handlerContext: WorkflowContext,
  originalDescriptor: PropertyDescriptor,
) => PropertyDescriptor;

const current = new AsyncContext.Variable<WorkflowContext>();
const calls = new WeakMap<object, HandlerContext>();
const runs = new WeakMap<HandlerContext, Run>();
const senders = new WeakMap<object, HandlerContext>();
const originals = new WeakMap<object, Map<string, PropertyDescriptor>>();

/** The context of the handler that calls. @deprecated It is the first argument of the handler. */
export function getContext(): WorkflowContext {
  const context = current.get();
  if (!context) throw new Error("No current context found");
  return context;
}

/** Calls a function for which {@link getContext} returns this context. */
export function inContext<Result>(context: WorkflowContext, callback: () => Result): Result {
  return current.run(context, callback);
}

/** The call that a context belongs to. */
export function callOf(context: WorkflowContext): HandlerContext {
  const call = calls.get(context);
  if (!call) throw new TypeError("This is not the context of a run in memory.");
  return call;
}

/** The call that has sent a message last; `undefined` if it was never sent. */
export function senderOf(message: WorkflowEventData<any>): HandlerContext | undefined {
  return senders.get(message);
}

export function createContext(handlers: readonly Registered[]): WorkflowContext {
  return new Run(handlers).context;
}

/** The end of a run, for its snapshot: what it has not handled, once the handlers under way have ended. */
export function lockRun(context: WorkflowContext): Promise<readonly WorkflowEventData<any>[]> {
  return (runs.get(callOf(context).root) as Run).lock();
}

/**
 * Adds properties to the context of a run; contexts of handlers inherit them.
 *
 * @param inheritanceTransformers By name, how a context gets its own property from that of the run.
 */
export function extendContext(
  context: WorkflowContext,
  properties: Record<string, any>,
  inheritanceTransformers?: Record<string, InheritanceTransformer>,
): void {
  Object.assign(context, properties);
  if (!inheritanceTransformers) return;
  context.__internal__property_inheritance_handlers ??= new Map();
  const kept = originals.get(context) ?? new Map<string, PropertyDescriptor>();
  originals.set(context, kept);
  for (const [name, transform] of Object.entries(inheritanceTransformers)) {
    context.__internal__property_inheritance_handlers.set(name, transform);
    const descriptor = Object.getOwnPropertyDescriptor(context, name);
    if (!descriptor) continue;
    kept.set(name, descriptor);
    Object.defineProperty(context, name, transform(context, descriptor));
  }
}

class Run {
  readonly #handlers: readonly Registered[];
  readonly #sent = createSubscribable<[event: WorkflowEventData<any>, handlerContext: HandlerContext], void>();
  readonly #pending = new Map<Promise<unknown>, HandlerContext>();
  readonly #root: HandlerContext;
  readonly context: WorkflowContext;
  #queue: WorkflowEventData<any>[] = [];
  #locked: "no" | "ending" | "ended" = "no";

  constructor(handlers: readonly Registered[]) {
    this.#handlers = handlers;
    this.#root = createCall({ accept: [], handler: () => {} }, [], null);
    runs.set(this.#root, this);
    this.context = this.#contextOf(this.#root, Object.prototype);
  }

  async lock(): Promise<readonly WorkflowEventData<any>[]> {
    if (this.#locked !== "no") throw new Error("Context is already locked, you cannot snapshot a same context twice");
    this.#locked = "ending";
    const caller = current.get();
    const own = (caller && calls.get(caller)) ?? null;
    while (this.#waiting(own).length > 0) await Promise.allSettled(this.#waiting(own));
    this.#locked = "ended";
    return this.#queue;
  }

  /** A handler that takes the snapshot does not wait for itself, nor do the handlers that await it. */
  #waiting(own: HandlerContext | null): Promise<unknown>[] {
    return [...this.#pending].filter(([, call]) => own === null || !isWithin(own, call)).map(([promise]) => promise);
  }

  #send(messages: readonly WorkflowEventData<any>[], from: HandlerContext): void {
    for (const message of messages) {
      from.outputs.push(message);
      senders.set(message, from);
      this.#sent.publish(message, from);
      this.#queue.push(message);
      if (this.#locked === "ended") warn("snapshot is already ready, sendEvent after snapshot is not allowed");
      if (this.#locked === "no") this.#callHandlers(message, from);
    }
  }

  #callHandlers(message: WorkflowEventData<any>, from: HandlerContext): void {
    const ready = this.#handlers
      .map((registered) => ({ registered, inputs: this.#inputsFor(registered, message) }))
      .filter(({ inputs }) => inputs !== null) as { registered: Registered; inputs: WorkflowEventData<any>[] }[];
    for (const { inputs } of ready)
      for (const input of inputs) {
        const position = this.#queue.indexOf(input);
        if (position >= 0) this.#queue.splice(position, 1);
      }
    for (const { registered, inputs } of ready) this.#call(registered, inputs, from);
  }

  /** For each accepted event the oldest message in the queue, no message twice; `null` until all are there. */
  #inputsFor({ accept }: Registered, message: WorkflowEventData<any>): WorkflowEventData<any>[] | null {
    if (accept.length > 0 && !accept.some((event) => event.include(message))) return null;
    const taken = new Set<number>();
    const inputs: WorkflowEventData<any>[] = [];
    for (const event of accept) {
      const position = this.#queue.findIndex((queued, index) => !taken.has(index) && event.include(queued));
      if (position < 0) return null;
      taken.add(position);
      inputs.push(this.#queue[position] as WorkflowEventData<any>);
    }
    return inputs;
  }

  #call(registered: Registered, inputs: WorkflowEventData<any>[], from: HandlerContext): void {
    const call = createCall(registered, inputs, from);
    const context = this.#contextOf(call, this.context);
    let result: unknown;
    try {
      result = inContext(context, () => registered.handler(context, ...inputs));
    } catch (error) {
      return abort(call, error);
    }
    if (isThenable(result)) this.#await(call, result);
    else if (result) this.#send([result as WorkflowEventData<any>], call);
  }

  #await(call: HandlerContext, result: PromiseLike<unknown>): void {
    const pending = Promise.resolve(result).then((output) => {
      if (output) this.#send([output as WorkflowEventData<any>], call);
      return output as WorkflowEventData<any> | undefined;
    });
    Object.assign(call, { async: true, pending });
    this.#pending.set(pending, call);
    // The promise of `finally` rejects, too: the process reports an error of the handler as an unhandled rejection.
    void pending.finally(() => this.#pending.delete(pending));
  }

  #contextOf(call: HandlerContext, parent: object): WorkflowContext {
    const stream = once(() => new WorkflowStream<WorkflowEventData<any>>(this.#streamOf(call), null));
    const signal = once(() => {
      listening.add(call);
      return call.abortController.signal;
    });
    const context = Object.create(parent, {
      stream: { get: stream, enumerable: true, configurable: true },
      signal: { get: signal, enumerable: true, configurable: true },
    }) as WorkflowContext;
    calls.set(context, call);
    context.sendEvent = (...messages) => this.#send(messages, call);
    context.__internal__call_send_event = this.#sent;
    for (const [name, transform] of context.__internal__property_inheritance_handlers ?? []) {
      const descriptor = Object.getOwnPropertyDescriptor(context, name) ?? originals.get(parent)?.get(name);
      if (descriptor) Object.defineProperty(context, name, transform(context, descriptor));
    }
    return context;
  }

  #streamOf(call: HandlerContext): Subscribable<[WorkflowEventData<any>], void> {
    const subscribe = (callback: (message: WorkflowEventData<any>) => void): (() => void) =>
      this.#sent.subscribe((message, from) => {
        if (isWithin(from, call)) callback(message);
      });
    return { subscribe, publish: () => [] };
  }
}

/** Handlers by what decorators have made of them. */
export const undecorated: WeakMap<AnyHandler, AnyHandler> = new WeakMap<AnyHandler, AnyHandler>();

export function isAsync(handler: AnyHandler): boolean {
  return handler.constructor.name === "AsyncFunction";
}

/** Calls whose signal was used. */
const listening = new WeakSet<HandlerContext>();

function abort(call: HandlerContext, error: unknown): void {
  (listening.has(call) ? call : call.root).abortController.abort(error);
}

function createCall(
  { handler, accept }: Registered,
  inputs: WorkflowEventData<any>[],
  prev: HandlerContext | null,
): HandlerContext {
  const call = {
    abortController: new AbortController(),
    async: isAsync(undecorated.get(handler) ?? handler),
    pending: null,
    handler,
    inputEvents: [...accept],
    inputs,
    outputs: [],
    prev,
    next: new Set(),
    root: prev?.root,
  } as unknown as HandlerContext;
  call.root ??= call;
  prev?.next.add(call);
  return call;
}

/** Is it this call, or one that has come of it? */
function isWithin(call: HandlerContext, ancestor: HandlerContext): boolean {
  if (ancestor === ancestor.root) return call.root === ancestor;
  for (let at: HandlerContext | null = call; at !== null; at = at.prev) if (at === ancestor) return true;
  return false;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
