import type { RunSummary } from "@millrace/client";
import type { ReactNode } from "react";
import type { Datum } from "../model/run-data.js";
import { CompareDialog } from "./compare-dialog.js";
import { CopyDialog } from "./copy-dialog.js";
import { ForkDialog } from "./fork-dialog.js";
import { RunAgainDialog } from "./run-again-dialog.js";
import type { RunFeed } from "./run-feed.js";
import { SendDialog } from "./send-dialog.js";

export type DialogName = "again" | "fork" | "send" | "compare" | "copy";

export interface RunDialogsProps {
  /** The open one. */
  readonly name: DialogName | null;
  readonly feed: RunFeed;
  readonly handler: RunSummary;
  readonly input: Datum | null;
  /** The item that a fork is asked for. */
  readonly forkItem: number | null;
  readonly onClose: () => void;
}

export function RunDialogs({ name, feed, handler, input, forkItem, onClose }: RunDialogsProps): ReactNode {
  const { run } = feed;
  switch (name) {
    case "again":
      return input && <RunAgainDialog {...{ handler, input, onClose }} />;
    case "fork": {
      const moment = run.moments.get(run.tick) ?? null;
      const facts = { runId: run.runId, tick: run.tick, attempts: run.attempts.list, item: forkItem };
      return <ForkDialog {...facts} {...{ moment, onClose }} />;
    }
    case "send":
      return <SendDialog runId={run.runId} workflow={handler.workflow} onClose={onClose} onSent={feed.refresh} />;
    case "compare":
      return <CompareDialog {...{ handler, onClose }} />;
    case "copy":
      return <CopyDialog {...{ handler, input, onClose }} />;
    case null:
      return null;
  }
}
