/**
 * Commands: what a run has to do next, decided by `reduce` and performed by its host. Plain data.
 *
 * A lost command loses no work: after a load, outstanding commands are derived from the state again.
 *
 * @module
 */
import { formatValue } from "../value/kind.js";
import type { EventData, Outcome } from "./state.js";

export type Command =
  | { readonly type: "attempt.start"; readonly item: number }
  /** Ends an attempt, whose outcome no longer counts. */
  | { readonly type: "attempt.end"; readonly item: number; readonly reason: string }
  | { readonly type: "call.settle"; readonly item: number; readonly call: string }
  | { readonly type: "generator.pull"; readonly item: number }
  | { readonly type: "child.start"; readonly item: number; readonly call: string }
  | { readonly type: "child.cancel"; readonly runId: string }
  | {
      readonly type: "stream.publish";
      readonly sequence: number;
      readonly event: EventData;
      readonly origin: string | null;
      readonly promptId: string | null;
      readonly writer?: string;
      readonly call?: string;
    }
  | { readonly type: "receipt.send"; readonly ticket: number; readonly receipt: Receipt }
  /** Information for inspection; nothing depends on it. */
  | { readonly type: "note"; readonly note: Note }
  | { readonly type: "run.finish"; readonly outcome: Outcome };

export type Receipt =
  | { readonly status: "accepted"; readonly sequence: number }
  | { readonly status: "refused"; readonly code: RefusalCode; readonly hint: string };

export function refused(code: RefusalCode, hint: string): Receipt {
  return { status: "refused", code, hint };
}

/** Receipt of an event for a run that has ended. */
export function runFinished(status: string): Receipt {
  return refused("RUN_FINISHED", `The run is ${status}: start a new one, resume a cancelled or retry a failed one.`);
}

/** Returns the receipt of an answer to a prompt that is closed. */
export function promptClosed(promptId: string): Receipt {
  return refused(
    "PROMPT_CLOSED",
    `Prompt ${typeof promptId === "string" ? promptId : formatValue(promptId)} was answered, timed out or was withdrawn: ask \`idle()\` which prompts are open.`,
  );
}

export type RefusalCode = "EVENT_NOT_ACCEPTED" | "INBOX_FULL" | "PROMPT_CLOSED" | "RUN_FINISHED" | "STEP_UNKNOWN";

export type Note =
  | { readonly kind: "event.unhandled"; readonly event: EventData; readonly step: string | null }
  | { readonly kind: "step.retrying"; readonly item: number; readonly retryAtMs: number }
  | { readonly kind: "tick.refused"; readonly tick: string; readonly reason: string }
  | { readonly kind: "timer.fired"; readonly dueAtMs: number }
  | { readonly kind: "call.answered"; readonly item: number; readonly call: string }
  | { readonly kind: "run.idle" };
