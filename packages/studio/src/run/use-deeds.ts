import type { ClientError } from "@millrace/client";
import { client } from "../api/client.js";
import { useSend } from "../api/use-send.js";
import { announce } from "../ui/announce.js";
import type { RunFeed } from "./run-feed.js";

export type RunDeed = "cancel" | "resume" | "retry";

export interface Deeds {
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly failure: ClientError | null;
  readonly act: (deed: RunDeed) => void;
}

const said: Readonly<Record<RunDeed, string>> = {
  cancel: "Run cancelled",
  resume: "Run resumes",
  retry: "Run is retried",
};

const deeds: Readonly<Record<RunDeed, (id: string) => Promise<void>>> = {
  cancel: (id) => client.handle(id).cancel(),
  resume: (id) => client.resume(id).accepted,
  retry: (id) => client.retry(id).accepted,
};

/** What is done to a run with one click. */
export function useDeeds(feed: RunFeed): Deeds {
  const { isSending, error, send } = useSend();
  const act = (deed: RunDeed): void =>
    send(async () => {
      await deeds[deed](feed.run.runId);
      announce(said[deed]);
      feed.run.goTo(feed.run.last);
      feed.refresh();
    });
  return { isBusy: isSending, failure: error, act };
}
