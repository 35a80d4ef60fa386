import type { ClientError } from "@millrace/client";
import { client } from "../api/client.js";
import { useSend } from "../api/use-send.js";
import { announce } from "../ui/announce.js";
import type { RunFeed } from "./run-feed.js";

export type RunAction = "cancel" | "resume" | "retry";

export interface RunActions {
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly failure: ClientError | null;
  readonly act: (action: RunAction) => void;
}

const said: Readonly<Record<RunAction, string>> = {
  cancel: "Run cancelled",
  resume: "Run resumes",
  retry: "Run is retried",
};

const actions: Readonly<Record<RunAction, (id: string) => Promise<void>>> = {
  cancel: (id) => client.handle(id).cancel(),
  resume: (id) => client.resume(id).accepted,
  retry: (id) => client.retry(id).accepted,
};

/** What is done to a run with one click. */
export function useRunActions(feed: RunFeed): RunActions {
  const { isSending, error, send } = useSend();
  const act = (action: RunAction): void =>
    send(async () => {
      await actions[action](feed.run.runId);
      announce(said[action]);
      feed.run.goTo(feed.run.last);
      feed.refresh();
    });
  return { isBusy: isSending, failure: error, act };
}
