/**
 * Events and their data. An event is a kind of message; `with` makes one message of it.
 *
 * @module
 */

declare const opaqueSymbol: unique symbol;

type Callback = (data: WorkflowEventData<any>) => void;
type Cleanup = () => void;

/** The data that an event carries. */
export type InferWorkflowEventData<Event> =
  Event extends WorkflowEventData<infer Data> ? Data : Event extends WorkflowEvent<infer Data> ? Data : never;

/** One message: what `event.with(data)` makes. */
export type WorkflowEventData<Data, DebugLabel extends string = string> = {
  get data(): Data;
} & { readonly [opaqueSymbol]: DebugLabel };

/** A kind of message. */
export type WorkflowEvent<Data, DebugLabel extends string = string> = {
  /** Name for people. */
  debugLabel?: DebugLabel;
  /** Names the event in responses. Unique in the process, unless it was configured. */
  readonly uniqueId: string;
  /** Makes a message. */
  with(data: Data): WorkflowEventData<Data, DebugLabel>;
  /** Is this value a message of this event? */
  include(event: unknown): event is WorkflowEventData<Data, DebugLabel>;
  /** Calls back for every message that `with` makes, until the returned function is called. */
  onInit(callback: Callback): Cleanup;
} & { readonly [opaqueSymbol]: DebugLabel };

export type WorkflowEventConfig<DebugLabel extends string = string> = {
  debugLabel?: DebugLabel;
  /** @default a number of this process */
  uniqueId?: string;
};

/** An event that includes the messages of several. */
export type OrEvent<Events extends WorkflowEvent<any>[]> = WorkflowEvent<any> & {
  _type: "or";
  events: Events;
};

const events = new WeakSet<object>();
const sources = new WeakMap<object, WorkflowEvent<any>>();
let lastEvent = 0;
let lastData = 0;

/** Makes an event. */
export const workflowEvent = <Data = void, DebugLabel extends string = string>(
  config?: WorkflowEventConfig<DebugLabel>,
): WorkflowEvent<Data, DebugLabel> => {
  const number = String(lastEvent++);
  return createEvent(
    { number, uniqueId: config?.uniqueId ?? number, debugLabel: config?.debugLabel },
    () => false,
  ) as WorkflowEvent<Data, DebugLabel>;
};

/** An event that includes the messages of each of these events, and its own. */
export const or = <const Events extends WorkflowEvent<any>[]>(...members: Events): OrEvent<Events> => {
  const number = String(lastEvent++);
  const names = { number, uniqueId: `or_${number}`, debugLabel: `or(${members.map(nameOf).join(", ")})` };
  const event = createEvent(names, (value) => members.some((member) => member.include(value)));
  return Object.assign(event, { _type: "or" as const, events: members }) as OrEvent<Events>;
};

/** Is this value an event? */
export const isWorkflowEvent = (instance: unknown): instance is WorkflowEvent<any> =>
  isObject(instance) && events.has(instance);

/** Is this value a message of an event? */
export const isWorkflowEventData = (instance: unknown): instance is WorkflowEventData<any> =>
  isObject(instance) && sources.has(instance);

/** The event of a message; `undefined` for anything else. */
export const eventSource = (instance: unknown): WorkflowEvent<any> | undefined =>
  isObject(instance) ? sources.get(instance) : undefined;

/** A name for people: the label, else the number. */
export function nameOf(event: WorkflowEvent<any>): string {
  return (event as unknown as { readonly [Symbol.toStringTag]: string })[Symbol.toStringTag];
}

interface Names {
  readonly number: string;
  readonly uniqueId: string;
  readonly debugLabel: string | undefined;
}

function createEvent(names: Names, includesMore: (value: unknown) => boolean): WorkflowEvent<any> {
  const { number, uniqueId, debugLabel } = names;
  const callbacks = new Set<Callback>();
  const event = {
    debugLabel,
    include: (value: unknown) => eventSource(value) === self || includesMore(value),
    with(data: unknown) {
      const made = createData(self, names, data);
      for (const callback of callbacks) callback(made);
      return made;
    },
    onInit(callback: Callback) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    toString: () => debugLabel ?? `WorkflowEvent<${number}>`,
  };
  Object.defineProperty(event, "uniqueId", { value: uniqueId });
  Object.defineProperty(event, Symbol.toStringTag, { get: () => self.debugLabel ?? number });
  const self = event as unknown as WorkflowEvent<any>;
  events.add(event);
  return self;
}

function createData(source: WorkflowEvent<any>, { number, debugLabel }: Names, data: unknown): WorkflowEventData<any> {
  const position = lastData++;
  const made = {
    toString: () => debugLabel ?? `WorkflowEvent(${number}.${position})`,
    toJSON: () => ({ type: debugLabel ?? number, data }),
    get data() {
      return data;
    },
  };
  sources.set(made, source);
  return made as unknown as WorkflowEventData<any>;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
