import { useState } from "react";
import { ApiError, post } from "../api/request.js";
import { announce } from "../ui/announce.js";
import type { RunFeed } from "./run-feed.js";

export type RunDeed = "cancel" | "resume" | "retry";

export interface Deeds {
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly failure: ApiError | null;
  readonly act: (deed: RunDeed) => void;
}

const said: Readonly<Record<RunDeed, string>> = {
  cancel: "Run cancelled",
  resume: "Run resumes",
  retry: "Run is retried",
};

/** What is done to a run with one click. */
export function useDeeds(feed: RunFeed): Deeds {
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const act = async (deed: RunDeed): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await post(`handlers/${encodeURIComponent(feed.run.runId)}/${deed}`);
      announce(said[deed]);
      feed.run.goTo(feed.run.last);
      feed.refresh();
    } catch (reason) {
      if (!(reason instanceof ApiError)) throw reason;
      setFailure(reason);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, act: (deed) => void act(deed) };
}
