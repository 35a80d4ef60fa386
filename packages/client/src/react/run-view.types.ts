import type { SomeEvent } from "../inferred.types.js";
import type { PendingPrompt, StreamedEvent } from "../run.types.js";

interface ViewBase<Shown> {
  /** Events of the run, in order; only the last `keepEvents`. */
  readonly events: readonly StreamedEvent<Shown>[];
  /** Open prompts. */
  readonly prompts: readonly PendingPrompt<Shown>[];
}

/** A run as a component sees it. */
export type RunView<Result = unknown, Shown = SomeEvent> = ViewBase<Shown> &
  (
    | { readonly status: "idle"; readonly handlerId: null; readonly result: undefined; readonly error: undefined }
    | {
        /** `starting`: the start is not yet stored. `waiting`: a prompt needs an answer. */
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
         * A `WorkflowError` when the run has failed. Any other error means that the server could not be reached, or has
         * refused; the run is then read again when the browser is online again, or after `attach`.
         */
        readonly error: unknown;
      }
  );
