/** Which call has sent what, and handlers that are wrapped. */
import {
  type AnyHandler,
  callOf,
  getContext,
  type Handler,
  type HandlerContext,
  isAsync,
  senderOf,
  undecorated,
  type WorkflowContext,
} from "../context.js";
import type { WorkflowEvent, WorkflowEventData } from "../event.js";
import type { WorkflowStream } from "../stream.js";

export type { HandlerContext } from "../context.js";

/** Wraps a handler. */
export type TracePlugin<AcceptEvents extends WorkflowEvent<any>[] = WorkflowEvent<any>[]> = (
  handler: Handler<AcceptEvents, WorkflowEventData<any> | void>,
) => Handler<AcceptEvents, WorkflowEventData<any> | void>;

export type WithTraceEventsOptions = {
  /** Wrap every handler; the last one is outermost. */
  plugins?: TracePlugin[];
};

export type HandlerRef<
  AcceptEvents extends WorkflowEvent<any>[],
  Result extends ReturnType<WorkflowEvent<any>["with"]> | void,
  Fn extends Handler<AcceptEvents, Result>,
> = {
  /** The handler without its decorators. */
  get handler(): Fn;
};

type AnyDecorator = <
  const AcceptEvents extends WorkflowEvent<any>[],
  Result extends ReturnType<WorkflowEvent<any>["with"]> | void,
  Fn extends Handler<AcceptEvents, Result>,
>(
  handler: Fn,
) => Fn;

/**
 * Makes a decorator of handlers, with a value of its own for each handler in each run.
 *
 * @param config.onBeforeHandler What is called instead of the handler.
 * @param config.onAfterHandler The next value, once the handler has ended.
 */
export function createHandlerDecorator<Metadata>(config: {
  debugLabel?: string;
  getInitialValue: () => Metadata;
  onBeforeHandler: (
    handler: Handler<WorkflowEvent<any>[], WorkflowEventData<any> | void>,
    handlerContext: HandlerContext,
    metadata: Metadata,
  ) => Handler<WorkflowEvent<any>[], WorkflowEventData<any> | void>;
  onAfterHandler: (metadata: Metadata) => Metadata;
}): AnyDecorator {
  const decorate = (handler: AnyHandler): AnyHandler => {
    const values = new WeakMap<HandlerContext, { value: Metadata }>();
    const decorated: AnyHandler = (context: WorkflowContext, ...events) => {
      const call = callOf(context);
      const kept = values.get(call.root) ?? { value: config.getInitialValue() };
      values.set(call.root, kept);
      const result: unknown = config.onBeforeHandler(handler as never, call, kept.value)(context, ...events);
      const after = (): void => void (kept.value = config.onAfterHandler(kept.value));
      if (isAsync(handler)) void Promise.resolve(result).then(after, after);
      else after();
      return result;
    };
    undecorated.set(decorated, undecorated.get(handler) ?? handler);
    return decorated;
  };
  return decorate as never;
}

/** A handler that runs once in each run. */
export const runOnce: AnyDecorator = createHandlerDecorator<boolean>({
  debugLabel: "onceHook",
  getInitialValue: () => false,
  onBeforeHandler: (handler, _call, hasRun) => (hasRun ? () => {} : handler),
  onAfterHandler: () => true,
});

/**
 * The messages that a message has come of: those of the first call below `context`.
 *
 * @param context @default that of the handler that calls
 */
export function getEventOrigins(
  eventData: WorkflowEventData<any>,
  context: WorkflowContext = getContext(),
): [WorkflowEventData<any>, ...WorkflowEventData<any>[]] {
  const below = callOf(context);
  let origins = [eventData];
  for (let call = senderOf(eventData) ?? null; call !== null && call !== below; call = call.prev)
    if (call.inputs.length > 0) origins = call.inputs;
  return origins as [WorkflowEventData<any>, ...WorkflowEventData<any>[]];
}

/** Adds `substream`, plugins for all handlers, and a reference to each handler. */
export function withTraceEvents<
  WorkflowLike extends {
    handle<
      const AcceptEvents extends WorkflowEvent<any>[],
      Result extends ReturnType<WorkflowEvent<any>["with"]> | void,
    >(accept: AcceptEvents, handler: Handler<AcceptEvents, Result>): void;
    createContext(): WorkflowContext;
  },
>(
  workflow: WorkflowLike,
  options?: WithTraceEventsOptions,
): Omit<WorkflowLike, "handle"> & {
  handle<
    const AcceptEvents extends WorkflowEvent<any>[],
    Result extends ReturnType<WorkflowEvent<any>["with"]> | void,
    Fn extends Handler<AcceptEvents, Result>,
  >(accept: AcceptEvents, handler: Fn): HandlerRef<AcceptEvents, Result, Fn>;
  /** The messages that have come of one message, and that one. */
  substream<T extends WorkflowEventData<any>>(
    eventData: WorkflowEventData<any>,
    stream: WorkflowStream<T>,
  ): WorkflowStream<T>;
} {
  const handle = (accept: WorkflowEvent<any>[], handler: AnyHandler): { readonly handler: AnyHandler } => {
    const wrapped = (options?.plugins ?? []).reduce((inner, plugin) => plugin(inner as never) as AnyHandler, handler);
    workflow.handle(accept, wrapped as never);
    return {
      get handler() {
        return undecorated.get(handler) ?? handler;
      },
    };
  };
  const substream = (origin: WorkflowEventData<any>, stream: WorkflowStream): WorkflowStream =>
    stream.filter((message: WorkflowEventData<any>) => hasComeOf(message, origin));
  return { ...workflow, handle, substream } as never;
}

function hasComeOf(message: WorkflowEventData<any>, origin: WorkflowEventData<any>): boolean {
  if (message === origin) return true;
  for (let call = senderOf(message) ?? null; call !== null; call = call.prev)
    if (call.inputs.includes(origin)) return true;
  return false;
}
