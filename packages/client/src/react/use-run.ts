import type { Receipt } from "millrace";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { CancelOptions, Client, ClientRun, KeyedOptions, RunOptions } from "../client.types.js";
import { ClientError } from "../client-error.js";
import type { ClientInput, ClientResult, ClientShown, EventClasses } from "../inferred.types.js";
import type { RunView } from "./run-view.types.js";
import { RunWatcher } from "./run-watcher.js";

export interface UseRunOptions {
  /** Shows this run from the beginning, as after a reload of the page. Read again when it changes. */
  readonly handlerId?: string;
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
 * @example
 * const run = useRun(client, "joke");
 * <button onClick={() => run.start({ topic: "pirates" })}>{run.status}</button>
 */
export function useRun<Known, Name extends keyof Known & string, Classes extends EventClasses = {}>(
  client: Client<Known, Classes>,
  workflow: Name,
  options: UseRunOptions = {},
): UseRun<Known, Name, Classes> {
  const { handlerId, keepEvents = 10_000 } = options;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another client or workflow shows another run
  const watcher = useMemo(() => new RunWatcher(keepEvents), [client, workflow, keepEvents]);
  const view = useSyncExternalStore(watcher.subscribe, watcher.view, watcher.view);
  const loose = client as unknown as Loose;

  const start = useCallback(
    (input?: unknown, runOptions?: RunOptions): string => {
      const run = loose.run(workflow, input, runOptions);
      watcher.watch(run);
      return run.handlerId;
    },
    [watcher, loose, workflow],
  );
  const attach = useCallback((id: string) => watcher.watch(loose.handle(id)), [watcher, loose]);
  const reset = useCallback(() => watcher.watch(null), [watcher]);
  const answer = useCallback(
    async (promptId: string, fields?: object, keyed?: KeyedOptions): Promise<Receipt> => {
      const receipt = await shownRun(watcher).answer(promptId, fields, keyed);
      if (receipt.status === "accepted" || receipt.code === "PROMPT_CLOSED") watcher.close(promptId);
      return receipt;
    },
    [watcher],
  );
  const cancel = useCallback((how?: CancelOptions) => shownRun(watcher).cancel(how), [watcher]);

  useEffect(() => {
    if (handlerId !== undefined && watcher.run()?.handlerId !== handlerId) attach(handlerId);
  }, [watcher, handlerId, attach]);

  return useMemo(
    () => ({ ...view, start, attach, reset, answer, cancel }) as unknown as UseRun<Known, Name, Classes>,
    [view, start, attach, reset, answer, cancel],
  );
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
