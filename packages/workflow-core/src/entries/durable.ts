/**
 * `@millrace/workflow-core/durable`: a workflow of handlers as a workflow of Millrace.
 *
 * Each handler becomes a step, each message an event with the field `data`, and the state of `withState` the state of the run.
 *
 * @module
 */
import {
  type Context,
  type DefinedWorkflow,
  type Duration,
  defineWorkflow,
  type EventBase,
  type EventClass,
  type EventFacts,
  ExternalEvent,
  event,
  type RetryPolicy,
  type StandardSchema,
  StartEvent,
  StopEvent,
  WorkflowError,
} from "millrace";
import { inContext, type Registered, type WorkflowContext } from "../context.js";
import { eventSource, nameOf, type OrEvent, type WorkflowEvent, type WorkflowEventData } from "../event.js";
import { handlersOf, initOf } from "../workflow.js";

/** Options of {@link durable}. */
export interface DurableOptions<Start, Stop> {
  /** Name of the workflow. Stored runs find it by the name that the runtime has for it. @default "workflow" */
  readonly name?: string;
  /** The event that begins a run. */
  readonly start: WorkflowEvent<Start>;
  /** The event that ends a run; its data are the result. */
  readonly stop: WorkflowEvent<Stop>;
  /** Events that come from outside, such as the answer of a person. While one of them may come, the run waits. @default none */
  readonly external?: readonly WorkflowEvent<any>[];
  /** Names of events without a `debugLabel`. Stored runs contain names: keep them. */
  readonly events?: Readonly<Record<string, WorkflowEvent<any>>>;
  /** The state of a new run. Required if the function of `createStatefulMiddleware` has a parameter. @default what that function returns */
  readonly state?: () => object;
  /** Retries of every handler. @default none */
  readonly retry?: RetryPolicy;
  /** Time limit of each attempt of a handler. @default none */
  readonly timeout?: Duration;
  /** Calls of one handler at once. Integer, at least 1. @default 4 */
  readonly workers?: number;
}

/** What a run begins with: the data of its start event. */
export interface DurableInput<Start> {
  readonly data: Start;
}

interface Message {
  readonly data: unknown;
}
interface StoredMessage extends Message {
  readonly type: string;
}
type MessageClass = EventClass & (new (fields: Message) => Message);

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "workflow-core", validate: (value) => ({ value }) },
};

interface ShownFields {
  /** Its `debugLabel`, or its number. */
  readonly event: string;
  readonly data?: unknown;
}
const ShownBase: EventBase<
  "workflow-core.shown",
  EventFacts<"event", ShownFields, ShownFields, "workflow-core.shown">
> = event("workflow-core.shown", { event: anything as StandardSchema<string>, data: anything });

/** A message that no handler accepts, for readers of the stream of a run. */
export class Shown extends ShownBase {}

const partsOf = new WeakMap<object, Parts>();

/**
 * The event of Millrace for a message, to send it to a run: `handle.sendEvent(toEvent(workflow, approved.with(true)))`.
 *
 * @param workflow What {@link durable} has returned.
 * @throws {WorkflowError} `OPTION_INVALID` when no handler of the workflow accepts the message.
 */
export function toEvent(workflow: object, message: WorkflowEventData<any>): ExternalEvent {
  const made = partsOf.get(workflow)?.eventOf(message) ?? null;
  if (made === null) throw optionInvalid([`no handler of the durable workflow accepts ${String(message)}`]);
  return made;
}

/**
 * Makes a workflow for `createRuntime`, `createServer` and the other parts of Millrace. Handlers that are added later do not count.
 *
 * In a run, messages and the state are data that can be stored, a failed attempt of a handler sends nothing and changes no state, and
 * after a crash a handler starts again from its beginning.
 *
 * @throws {WorkflowError} `OPTION_INVALID` with every event that has no name of its own and every set with `or`.
 */
export function durable<Start, Stop>(
  workflow: object,
  options: DurableOptions<Start, Stop>,
): DefinedWorkflow<DurableInput<Start>, Stop> {
  const handlers = handlersOf(workflow);
  const parts = new Parts(workflow, handlers, options);
  const { name = "workflow", retry, timeout, workers } = options;
  const Begin = StartEvent.define(`${name}.start`, { data: anything });
  const settings = { ...(retry && { retry }), ...(timeout !== undefined && { timeout }), ...(workers && { workers }) };
  let builder = defineWorkflow(name, parts.state ? { state: { state: parts.state } } : {}) as unknown as AnyBuilder;
  const First = parts.classOf(options.start);
  builder = builder.step("start", { on: Begin, emits: First }, (message) => new First({ data: message.data }));
  for (const [step, registered] of namedSteps(handlers)) {
    const on = parts.classesOf(registered);
    const emits = [...parts.classes, StopEvent];
    builder = builder.step(step, { ...settings, on, emits, streams: Shown }, (message, ctx) =>
      parts.call(registered, message, ctx),
    );
  }
  const built = builder.build() as DefinedWorkflow<DurableInput<Start>, Stop>;
  partsOf.set(built, parts);
  return built;
}

interface AnyBuilder {
  step(
    name: string,
    options: object,
    run: (message: Message & object, ctx: Context<StoredState>) => unknown,
  ): AnyBuilder;
  build(): unknown;
}

interface StoredState {
  readonly state: Record<string, unknown>;
}

/** What the steps of one workflow share. */
class Parts {
  readonly state: StandardSchema | null;
  readonly #classes: ReadonlyMap<WorkflowEvent<any>, MessageClass>;
  readonly #stop: WorkflowEvent<any>;

  constructor(workflow: object, handlers: readonly Registered[], options: DurableOptions<any, any>) {
    const names = new Map(Object.entries(options.events ?? {}).map(([name, named]) => [named, name]));
    const accepted = [...new Set([options.start, ...handlers.flatMap(({ accept }) => accept.flatMap(membersOf))])];
    const init = initOf(workflow);
    refuse([
      ...unnamed(accepted, names),
      ...handlers.filter(({ accept }) => accept.length > 1 && accept.some(isOr)).map(setWithOr),
      ...(init !== null && init.length > 0 && !options.state
        ? ["`state` is missing: the function of `createStatefulMiddleware` has a parameter"]
        : []),
    ]);
    const external = new Set(options.external);
    this.#stop = options.stop;
    this.#classes = new Map(
      accepted.map((source) => [source, classFor(names.get(source) ?? nameOf(source), external.has(source))]),
    );
    const first = options.state ?? init;
    this.state = first === null ? null : withDefault(() => first(undefined));
  }

  get classes(): readonly MessageClass[] {
    return [...this.#classes.values()];
  }

  classOf(source: WorkflowEvent<any>): MessageClass {
    return this.#classes.get(source) as MessageClass;
  }

  classesOf({ accept }: Registered): readonly MessageClass[] {
    return [...new Set(accept.flatMap(membersOf))].map((source) => this.classOf(source));
  }

  /** One attempt of a handler. */
  async call(
    { accept, handler }: Registered,
    message: Message,
    ctx: Context<StoredState>,
  ): Promise<StopEvent | undefined> {
    const expected = accept.map((source) => this.classOf(source));
    const set = accept.length === 1 ? [message] : await ctx.collectEvents(message as never, expected as never);
    if (set === null) return undefined;
    const sent = new Sent((sending) => this.#send(sending, ctx), this.#stop);
    const before = this.state === null ? undefined : (await ctx.store.get()).state;
    const state = structuredClone(before);
    const context = handlerContext(ctx, sent, state);
    const messages = (set as unknown as readonly StoredMessage[]).map((one) => this.#messageOf(one));
    const output = await inContext(context, () => handler(context, ...messages));
    if (output) sent.send(output as WorkflowEventData<any>);
    if (before !== undefined && state !== undefined) await storeChanges(ctx, before, state);
    return sent.stop === null ? undefined : new StopEvent({ result: sent.stop.data });
  }

  #messageOf(stored: StoredMessage): WorkflowEventData<any> {
    const [source] = [...this.#classes].find(([, { type }]) => type === stored.type) as [
      WorkflowEvent<any>,
      MessageClass,
    ];
    return source.with(stored.data);
  }

  eventOf(message: WorkflowEventData<any>): ExternalEvent | null {
    const Class = this.#classes.get(eventSource(message) as WorkflowEvent<any>);
    return Class ? (new Class({ data: message.data }) as unknown as ExternalEvent) : null;
  }

  #send(message: WorkflowEventData<any>, ctx: Context<StoredState>): void {
    const made = this.eventOf(message);
    if (made) return ctx.sendEvent(made);
    const source = eventSource(message);
    ctx.writeEventToStream(new Shown({ event: source ? nameOf(source) : String(message), data: message.data }));
  }
}

/** What an attempt sends: the first stop event ends the run when the attempt ends. */
class Sent {
  stop: Message | null = null;
  readonly #pass: (message: WorkflowEventData<any>) => void;
  readonly #stop: WorkflowEvent<any>;

  constructor(pass: (message: WorkflowEventData<any>) => void, stop: WorkflowEvent<any>) {
    this.#pass = pass;
    this.#stop = stop;
  }

  send(message: WorkflowEventData<any>): void {
    if (this.#stop.include(message)) this.stop ??= message;
    else this.#pass(message);
  }
}

function handlerContext(ctx: Context<StoredState>, sent: Sent, state: unknown): WorkflowContext {
  const context: object = {
    signal: ctx.signal,
    sendEvent: (...messages: WorkflowEventData<any>[]) => {
      for (const message of messages) sent.send(message);
    },
    state,
    get stream(): never {
      throw notDurable(
        "context.stream",
        "Gather with a handler that accepts the events, `handle([result, result], …)`.",
      );
    },
    snapshot: () => Promise.reject(notDurable("context.snapshot", "The store has every run: no snapshot is needed.")),
  };
  return context as WorkflowContext;
}

function notDurable(name: string, hint: string): WorkflowError {
  const error = new WorkflowError({ code: "OPTION_INVALID", message: `A durable handler has no \`${name}\`.`, hint });
  return Object.assign(error, { retryable: false }); // the next attempt would do the same
}

/** Only the fields that the handler has changed: handlers at the same time may change others. */
async function storeChanges(
  ctx: Context<StoredState>,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Promise<void> {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return;
  await ctx.store.editState((draft) => {
    const { state } = draft as { state: Record<string, unknown> };
    for (const name of changed) {
      if (name in after) state[name] = after[name];
      else delete state[name];
    }
  });
}

function classFor(name: string, isExternal: boolean): MessageClass {
  const shape = { data: anything };
  return (
    isExternal ? class extends ExternalEvent.define(name, shape) {} : class extends event(name, shape) {}
  ) as never;
}

function withDefault(init: () => unknown): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "workflow-core",
      validate: (value) => ({ value: value === undefined ? init() : value }),
    },
  };
}

function namedSteps(handlers: readonly Registered[]): readonly (readonly [string, Registered])[] {
  const counts = new Map<string, number>();
  return handlers.map((registered) => {
    const name = registered.accept.map(nameOf).join(" + ");
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [count === 1 ? name : `${name} (${count})`, registered];
  });
}

function isOr(source: WorkflowEvent<any>): source is OrEvent<WorkflowEvent<any>[]> {
  return (source as { readonly _type?: string })._type === "or";
}

function membersOf(source: WorkflowEvent<any>): readonly WorkflowEvent<any>[] {
  return isOr(source) ? source.events.flatMap(membersOf) : [source];
}

function unnamed(sources: readonly WorkflowEvent<any>[], names: ReadonlyMap<WorkflowEvent<any>, string>): string[] {
  const taken = new Set<string>();
  return sources.flatMap((source) => {
    const name = names.get(source) ?? source.debugLabel;
    if (name === undefined) return [`${source} has no name: give it a \`debugLabel\`, or name it in \`events\``];
    if (taken.has(name)) return [`two events are named "${name}": name one of them in \`events\``];
    taken.add(name);
    return [];
  });
}

function setWithOr({ accept }: Registered): string {
  return `the handler of ${accept.map(nameOf).join(", ")} accepts a set with \`or\`: register it for each of the events`;
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw optionInvalid(problems);
}

function optionInvalid(problems: readonly string[]): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `durable: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}.`,
    hint: `${problems.join("; ")}.`,
  });
}
