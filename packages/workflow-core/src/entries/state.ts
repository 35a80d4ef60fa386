/** A state for each run, and snapshots. */
import { extendContext, getContext, type Handler, lockRun, type WorkflowContext } from "../context.js";
import type { WorkflowEvent, WorkflowEventData } from "../event.js";
import { handlersOf, initKey, type Workflow } from "../workflow.js";

/** What is left to do in a run. JSON, if the data of its events are. */
export interface SnapshotData {
  /** Data of messages that handlers accept, and the position of each event among those that handlers name. */
  queue: [data: any, id: number][];
  /** Data of messages that no handler accepts. They are not sent again. */
  unrecoverableQueue: any[];
  /** The accepted events of the handlers, by position. `resume` does not compare it. */
  version: string;
  /** The state, as JSON. */
  state?: string | undefined;
}

export type SnapshotFn = () => Promise<SnapshotData>;

export type StatefulContext<State = any, Context extends WorkflowContext = WorkflowContext> = Context & {
  /** The state of this run. Handlers change it in place. */
  get state(): State;
  /** Waits for the handlers under way, and ends the run. Once for each run. */
  snapshot: SnapshotFn;
};

export type StatefulHandleFn<State> = <
  AcceptEvents extends WorkflowEvent<any>[],
  Result extends ReturnType<WorkflowEvent<any>["with"]> | void,
>(
  accept: AcceptEvents,
  handler: Handler<AcceptEvents, Result, StatefulContext<State>>,
) => void;

/** Begins a run where a snapshot has ended. Reads those of `@llamaindex/workflow-core`, too. */
export type ResumeFunction<State> = (serializable: Omit<SnapshotData, "unrecoverableQueue">) => StatefulContext<State>;

export type WorkflowWithState<State, Input> = Input extends void | undefined
  ? <WorkflowLike extends Workflow>(
      workflow: WorkflowLike,
    ) => Omit<WorkflowLike, "createContext" | "handle"> & {
      createContext(): StatefulContext<State>;
      handle: StatefulHandleFn<State>;
      resume: ResumeFunction<State>;
    }
  : <WorkflowLike extends Workflow>(
      workflow: WorkflowLike,
    ) => Omit<WorkflowLike, "createContext" | "handle"> & {
      createContext(input: Input): StatefulContext<State>;
      handle: StatefulHandleFn<State>;
      resume: ResumeFunction<State>;
    };

type CreateState<State, Input, Context extends WorkflowContext> = {
  /** @deprecated The context is the first argument of the handler. */
  getContext(): StatefulContext<State, Context>;
  withState: WorkflowWithState<State, Input>;
};

/**
 * Makes `withState`, which adds a state to the contexts of a workflow.
 *
 * @param init The state of a new run, from what its caller passes to `createContext`. @default no state
 */
export function createStatefulMiddleware<State, Input = void, Context extends WorkflowContext = WorkflowContext>(
  init?: (input: Input) => State,
): CreateState<State, Input, Context> {
  const withState = (workflow: Workflow): object => {
    const begin = (state: unknown): StatefulContext<State> => {
      const context = workflow.createContext() as StatefulContext<State>;
      extendContext(context, { state, snapshot: () => takeSnapshot(workflow, context) });
      return context;
    };
    return Object.assign(
      { ...workflow, createContext: (input: Input) => begin(init?.(input)), resume },
      init && { [initKey]: init },
    );

    function resume({ queue, state }: Omit<SnapshotData, "unrecoverableQueue">): StatefulContext<State> {
      const events = acceptedEvents(workflow);
      const messages = queue.map(([data, id]) => {
        const event = events[id];
        if (!event) throw new Error(`event counter ${id} not found`);
        return event.with(data);
      });
      const context = begin(state === undefined ? undefined : JSON.parse(state));
      void context.stream; // readers that come after the first events see them
      context.sendEvent(...messages);
      return context;
    }
  };
  return { getContext: getContext as () => StatefulContext<State, Context>, withState: withState as never };
}

async function takeSnapshot(workflow: Workflow, context: StatefulContext): Promise<SnapshotData> {
  const left = await lockRun(context);
  const events = acceptedEvents(workflow);
  const placed = left.map((message) => ({ message, id: events.findIndex((event) => event.include(message)) }));
  return {
    queue: placed.filter(({ id }) => id >= 0).map(({ message, id }) => [dataOf(message), id]),
    unrecoverableQueue: placed.filter(({ id }) => id < 0).map(({ message }) => dataOf(message)),
    version: handlersOf(workflow)
      .map(({ accept }) => accept.map((event) => events.indexOf(event)).join(","))
      .join(";"),
    state: JSON.stringify(context.state),
  };
}

function dataOf(message: WorkflowEventData<any>): unknown {
  return message.data as unknown;
}

/** In the order in which handlers name them: their positions are what snapshots have. */
function acceptedEvents(workflow: Workflow): readonly WorkflowEvent<any>[] {
  return [...new Set(handlersOf(workflow).flatMap(({ accept }) => accept))];
}
