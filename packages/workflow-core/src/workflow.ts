import { createContext, type Handler, type Registered, type WorkflowContext } from "./context.js";
import type { WorkflowEvent } from "./event.js";

/** A list of handlers. */
export type Workflow = {
  /** Adds a handler. It is called whenever one message of each of these events has come; for an event named twice, two. */
  handle<const AcceptEvents extends WorkflowEvent<any>[], Result extends ReturnType<WorkflowEvent<any>["with"]> | void>(
    accept: AcceptEvents,
    handler: Handler<AcceptEvents, Result>,
  ): void;
  /** Begins a run. */
  createContext(): WorkflowContext;
};

const handlersKey = Symbol("handlers");

/** Where `withState` keeps what makes the state of a run. */
export const initKey: unique symbol = Symbol("init");

/** Makes a workflow without handlers. */
export const createWorkflow = (): Workflow => {
  const handlers: Registered[] = [];
  const workflow: Workflow = {
    handle(accept, handler) {
      handlers.push({ accept, handler });
    },
    createContext: () => createContext(handlers),
  };
  // Enumerable: middleware copies workflows with a spread.
  return Object.assign(workflow, { [handlersKey]: handlers });
};

/** The handlers of a workflow, also of one that middleware has extended: a list that grows. */
export function handlersOf(workflow: object): readonly Registered[] {
  const handlers = (workflow as { readonly [handlersKey]?: readonly Registered[] })[handlersKey];
  if (!handlers)
    throw new TypeError("This is not a workflow that `createWorkflow` of @millrace/workflow-core has made.");
  return handlers;
}

/** What makes the state of a run; `null` for a workflow without a state. */
export function initOf(workflow: object): ((input: unknown) => unknown) | null {
  return (workflow as { readonly [initKey]?: (input: unknown) => unknown })[initKey] ?? null;
}
