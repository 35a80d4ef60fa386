import type { PendingPrompt, StreamedEvent } from "../client.types.js";
import type { SomeEvent } from "../inferred.types.js";

interface ViewBase<Shown> {
  /** What the run has shown, in order: the last `keepEvents` of it. */
  readonly events: readonly StreamedEvent<Shown>[];
  /** Open ones. */
  readonly prompts: readonly PendingPrompt<SomeEvent>[];
}

/** A run as a component sees it. */
export type RunView<Result = unknown, Shown = SomeEvent> = ViewBase<Shown> &
  (
    | { readonly status: "idle"; readonly handlerId: null; readonly result: undefined; readonly error: undefined }
    | {
        /** `starting`: not stored yet. `waiting`: somebody has to answer a prompt. */
        readonly status: "starting" | "running" | "waiting";
        readonly handlerId: string;
        readonly result: undefined;
        readonly error: undefined;
      }
    | { readonly status: "completed"; readonly handlerId: string; readonly result: Result; readonly error: undefined }
    | {
        readonly status: "failed" | "cancelled";
        readonly handlerId: string;
        readonly result: undefined;
        /**
         * A `WorkflowError` when the run failed. Else the server could not be reached, or refused: it is read again when the browser
         * is online again, and with `attach`.
         */
        readonly error: unknown;
      }
  );
