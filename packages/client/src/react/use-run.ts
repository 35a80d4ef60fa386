import type { Receipt, WorkflowEvent } from "millrace";
import { object, type Rule } from "millrace/wire";
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { KeyedOptions, RunLabels } from "../call.types.js";
import type { Client, RunOptions } from "../client.types.js";
import { ClientError } from "../client-error.js";
import type { ClientInput, ClientResult, ClientShown, EventClasses, Flows, SomeEvent } from "../inferred.types.js";
import { checkOptions, type Rules } from "../options/check-options.js";
import { atLeast, text } from "../options/rules.js";
import type { CancelOptions, ClientRun, SendOptions, SentEvent } from "../run.types.js";
import type { RunView } from "./run-view.types.js";
import { RunWatcher } from "./run-watcher.js";

const handlerIdRule: Rule = (value, option) => (value === null ? [] : text(value, option));
const rules: Rules = { input: object, handlerId: handlerIdRule, labels: object, keepEvents: atLeast(0) };

export interface UseRunOptions<Input = { readonly [field: string]: unknown }> {
  /**
   * Starts a run with this input when the component mounts: once, also in strict mode. Later changes of `input` do
   * nothing: call `start()`, or change the React `key` of the component.
   *
   * With a `handlerId` the run gets this id. When the component has started it before, it is shown, so a reload does
   * not start a second run.
   */
  readonly input?: Input;
  /** Labels of the run that `input` starts. */
  readonly labels?: RunLabels;
  /**
   * Without `input`: shows the existing run with this id from its beginning, for example after a reload. A changed id
   * shows another run; `null` shows none.
   */
  readonly handlerId?: string | null | undefined;
  /** Number of events that are kept for the component. @default 10000 */
  readonly keepEvents?: number;
}

/** State of the run and functions that act on it. */
export type UseRun<Known, Name extends keyof Known & string, Classes extends EventClasses = {}> = RunView<
  ClientResult<Known, Name, Classes>,
  ClientShown<Known, Name, Classes>
> & {
  /** Starts a run and shows it instead of the present one. Returns its id, for finding it again after a reload. */
  start(
    ...args: {} extends ClientInput<Known, Name>
      ? [input?: ClientInput<Known, Name>, options?: RunOptions]
      : [input: ClientInput<Known, Name>, options?: RunOptions]
  ): string;
  /** Shows an existing run from its beginning. */
  attach(handlerId: string): void;
  /** Answers a prompt. The answer is refused if the prompt is closed. */
  answer(promptId: string, fields?: object, options?: KeyedOptions): Promise<Receipt>;
  /** Sends an event to the present run. */
  sendEvent<Event extends WorkflowEvent = WorkflowEvent>(
    event: SentEvent<Event>,
    options?: SendOptions,
  ): Promise<Receipt>;
  /** Stops the present run. */
  cancel(options?: CancelOptions): Promise<void>;
  /** Continues the present run after it was cancelled. */
  resume(options?: KeyedOptions): void;
  /** Runs the failed work of the present run again. */
  retry(options?: KeyedOptions): void;
  /** Shows no run. */
  reset(): void;
};

type Loose = Pick<Client<Flows>, "resume" | "retry"> & {
  run(workflow: string, input?: unknown, options?: RunOptions): ClientRun;
  handle(id: string): ClientRun;
};

/**
 * Shows a run in a component: its events, its prompts, its end. The run belongs to the server and continues when the
 * component unmounts.
 *
 * @throws {ClientError} `OPTION_INVALID`.
 * @example
 * const run = useRun(client, "joke");
 * <button onClick={() => run.start({ topic: "pirates" })}>{run.status}</button>
 */
export function useRun<Known, Name extends keyof Known & string, Classes extends EventClasses = {}>(
  client: Client<Known, Classes>,
  workflow: Name,
  options: UseRunOptions<ClientInput<Known, Name>> = {},
): UseRun<Known, Name, Classes> {
  checkOptions("useRun", options, rules);
  const { keepEvents = 10_000 } = options;
  const handlerId = options.handlerId ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workflow shows another run
  const watcher = useMemo(() => new RunWatcher(), [workflow]);
  const view = useSyncExternalStore(watcher.subscribe, watcher.view, watcher.view);
  // The arguments of the last render. They are new objects in each render and must not affect the present run.
  const given = useRef({ client: client as unknown as Loose, options });
  useEffect(() => {
    given.current = { client: client as unknown as Loose, options };
    watcher.keep(keepEvents);
  });

  const actions = useMemo(() => actionsOn(watcher, workflow, () => given.current.client), [watcher, workflow]);

  const wanted = useRef<string | null>(null);
  useEffect(() => {
    const { input, labels } = given.current.options;
    const shown = watcher.run()?.handlerId;
    const isTakenAway = handlerId === null && wanted.current !== null;
    wanted.current = handlerId;
    if (isTakenAway) return actions.reset();
    if (handlerId === null && (input === undefined || shown !== undefined)) return;
    if (handlerId !== null && shown === handlerId) return;
    if (input === undefined) return actions.attach(handlerId as string);
    const named = handlerId !== null && { handlerId, key: keyOf(handlerId) };
    actions.start(input, { ...(labels && { labels }), ...named });
  }, [watcher, handlerId, actions]);

  return useMemo(() => ({ ...view, ...actions }) as unknown as UseRun<Known, Name, Classes>, [view, actions]);
}

/** The functions that act on the present run. They are the same in each render. */
function actionsOn(watcher: RunWatcher, workflow: string, client: () => Loose) {
  const shown = (): ClientRun => watcher.run() ?? noRun();
  const show = (run: ClientRun): string => {
    watcher.watch(run);
    return run.handlerId;
  };
  return {
    start: (input?: unknown, options?: RunOptions): string =>
      show(client().run(workflow, withoutDomEvent(input), options)),
    attach: (id: string): void => void show(client().handle(id)),
    reset: (): void => watcher.watch(null),
    answer: async (promptId: string, fields?: object, options?: KeyedOptions): Promise<Receipt> => {
      const receipt = await shown().answer(promptId, fields, options);
      if (receipt.status === "accepted" || receipt.code === "PROMPT_CLOSED") watcher.close(promptId);
      return receipt;
    },
    sendEvent: async (event: SomeEvent, options?: SendOptions): Promise<Receipt> => shown().sendEvent(event, options),
    cancel: async (options?: CancelOptions): Promise<void> => shown().cancel(withoutDomEvent(options)),
    resume: (options?: KeyedOptions): void => void show(client().resume(shown().handlerId, withoutDomEvent(options))),
    retry: (options?: KeyedOptions): void => void show(client().retry(shown().handlerId, withoutDomEvent(options))),
  };
}

/** Derives the idempotency key from the id, so that a second component that starts this run finds it. */
function keyOf(handlerId: string): string {
  return `useRun ${encodeURIComponent(handlerId)}`.slice(0, 200);
}

/** Ignores a DOM event as input: `onClick={run.start}` means a click. */
function withoutDomEvent<Value>(value: Value): Value | undefined {
  const { preventDefault } = Object(value) as { preventDefault?: unknown };
  return typeof preventDefault === "function" ? undefined : value;
}

function noRun(): never {
  throw new ClientError({
    code: "OPTION_INVALID",
    message: "The component shows no run.",
    hint: "Call `start` or `attach` first.",
  });
}
