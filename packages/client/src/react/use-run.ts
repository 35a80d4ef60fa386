import type { Receipt } from "millrace";
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { CancelOptions, Client, ClientRun, KeyedOptions, RunLabels, RunOptions } from "../client.types.js";
import { ClientError } from "../client-error.js";
import type { ClientInput, ClientResult, ClientShown, EventClasses } from "../inferred.types.js";
import { checkOptions } from "../options/check-options.js";
import { rules } from "../options/rules.js";
import type { RunView } from "./run-view.types.js";
import { RunWatcher } from "./run-watcher.js";

export interface UseRunOptions<Input = { readonly [field: string]: unknown }> {
  /**
   * Starts a run with it when the component appears: once, also in strict mode. It is not looked at again: `start()` another run,
   * or give the component another React `key`.
   *
   * With a `handlerId` the run has this id; one that was started here before is shown, so a reload starts no second one.
   */
  readonly input?: Input;
  /** Of the run that `input` starts. */
  readonly labels?: RunLabels;
  /** Without `input`: shows this run from the beginning, as after a reload of the page. Read again when it changes. Null: none. */
  readonly handlerId?: string | null | undefined;
  /** How many events are kept for the component. @default 10000 */
  readonly keepEvents?: number;
}

/** What `useRun` gives: the run as it is, and what can be done with it. */
export type UseRun<Known, Name extends keyof Known & string, Classes extends EventClasses = {}> = RunView<
  ClientResult<Known, Name, Classes>,
  ClientShown<Known, Name, Classes>
> & {
  /** Starts a run and shows it, whatever was shown before. Gives its id, to find it again after a reload. */
  start(
    ...args: {} extends ClientInput<Known, Name>
      ? [input?: ClientInput<Known, Name>, options?: RunOptions]
      : [input: ClientInput<Known, Name>, options?: RunOptions]
  ): string;
  /** Shows a run that is on the server, from its beginning. */
  attach(handlerId: string): void;
  /** Answers a prompt. Refused when it is gone. */
  answer(promptId: string, fields?: object, options?: KeyedOptions): Promise<Receipt>;
  /** Stops the run that is shown. */
  cancel(options?: CancelOptions): Promise<void>;
  /** Shows no run. */
  reset(): void;
};

type Loose = { run(workflow: string, input?: unknown, options?: RunOptions): ClientRun; handle(id: string): ClientRun };

/**
 * A run in a component: what it shows, what it asks, how it ended. The run is the server's: it goes on when the component is gone.
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
  checkOptions("useRun", options, rules.useRun);
  const { keepEvents = 10_000 } = options;
  const handlerId = options.handlerId ?? undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another workflow shows another run
  const watcher = useMemo(() => new RunWatcher(), [workflow]);
  const view = useSyncExternalStore(watcher.subscribe, watcher.view, watcher.view);
  // What is given in the last render: made anew in each, they change nothing about the run that is shown.
  const given = useRef({ client: client as unknown as Loose, options });
  useEffect(() => {
    given.current = { client: client as unknown as Loose, options };
    watcher.keep(keepEvents);
  });

  const start = useCallback(
    (input?: unknown, runOptions?: RunOptions): string => {
      const run = given.current.client.run(workflow, withoutDomEvent(input), runOptions);
      watcher.watch(run);
      return run.handlerId;
    },
    [watcher, workflow],
  );
  const attach = useCallback((id: string) => watcher.watch(given.current.client.handle(id)), [watcher]);
  const reset = useCallback(() => watcher.watch(null), [watcher]);
  const answer = useCallback(
    async (promptId: string, fields?: object, keyed?: KeyedOptions): Promise<Receipt> => {
      const receipt = await shownRun(watcher).answer(promptId, fields, keyed);
      if (receipt.status === "accepted" || receipt.code === "PROMPT_CLOSED") watcher.close(promptId);
      return receipt;
    },
    [watcher],
  );
  const cancel = useCallback(
    async (how?: CancelOptions) => shownRun(watcher).cancel(withoutDomEvent(how) as CancelOptions | undefined),
    [watcher],
  );

  useEffect(() => {
    const { input, labels } = given.current.options;
    const shown = watcher.run()?.handlerId;
    if (input === undefined) {
      if (handlerId !== undefined && shown !== handlerId) attach(handlerId);
    } else if (shown === undefined || (handlerId !== undefined && shown !== handlerId)) {
      start(input, { ...(labels && { labels }), ...(handlerId !== undefined && { handlerId, key: keyOf(handlerId) }) });
    }
  }, [watcher, handlerId, attach, start]);

  return useMemo(
    () => ({ ...view, start, attach, reset, answer, cancel }) as unknown as UseRun<Known, Name, Classes>,
    [view, start, attach, reset, answer, cancel],
  );
}

/** The same for each component that starts this run: the second start finds the first one. */
function keyOf(handlerId: string): string {
  return `useRun ${encodeURIComponent(handlerId)}`.slice(0, 200);
}

/** `onClick={run.start}` means a click, not an input. */
function withoutDomEvent(value: unknown): unknown {
  const { preventDefault } = Object(value) as { preventDefault?: unknown };
  return typeof preventDefault === "function" ? undefined : value;
}

function shownRun(watcher: RunWatcher): ClientRun {
  const run = watcher.run();
  if (run !== null) return run;
  throw new ClientError({
    code: "OPTION_INVALID",
    message: "The component shows no run.",
    hint: "Call `start` or `attach` first.",
  });
}
