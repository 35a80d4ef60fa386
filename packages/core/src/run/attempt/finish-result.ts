import type { EventData } from "../../engine/state.js";
import type { DirectEdit } from "../../state/finish-group.js";
import type { StateChange } from "../../state/patches.js";

/** The result of `ctx.finish`, valid for the attempt that called it. */
export class FinishResult {
  readonly #edit: (draft: never) => unknown;
  /** Set by `finishWithPatches`. */
  direct: DirectEdit | null = null;
  /** Events that the callback has written to the stream; `null` for none. */
  shown: EventData[] | null = null;
  /** `true` while the callback runs. */
  isOpen = false;

  constructor(edit: (draft: never) => unknown) {
    this.#edit = edit;
  }

  edit(draft: never): unknown {
    return this.opened(() => this.#edit(draft));
  }

  /** Calls what writes to the stream as part of the act. */
  opened<Answer>(work: () => Answer): Answer {
    this.isOpen = true;
    try {
      return work();
    } finally {
      this.isOpen = false;
    }
  }

  show(event: EventData): void {
    if (this.shown === null) this.shown = [event];
    else this.shown.push(event);
  }
}

/** The edit at the end of a step, and how it is stored. */
export interface FinishChange {
  readonly change: StateChange;
  /** Called once it is in the state, or never will be. */
  readonly onStored: () => void;
}
