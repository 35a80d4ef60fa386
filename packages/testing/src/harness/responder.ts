/**
 * The world around a run, which answers its prompts and sends it events.
 *
 * @module
 */
import type { RunOutcome, WorkflowEvent, WorkflowHandler } from "millrace";
import type { Tick } from "millrace/engine";

/** Fields of the answer; `null` leaves the prompt open until its wait times out. */
export type Answer = Readonly<Record<string, unknown>> | null;

/** Answers by type of the prompt, or one function for all prompts. */
export type Answers =
  | ((prompt: WorkflowEvent) => Answer)
  | { readonly [promptType: string]: Answer | ((prompt: WorkflowEvent) => Answer) };

export interface OutsideOptions {
  /** Answers to prompts. One prompt may be answered more than once. @default none */
  readonly answers?: Answers;
  /** Events to send, in this order; each is sent when the run is idle and accepts it. @default none */
  readonly events?: readonly WorkflowEvent[];
}

interface ResponderOptions extends Pick<OutsideOptions, "events"> {
  readonly answers?: Answers | ((prompt: WorkflowEvent, promptId: string) => Answer);
  /** Whether time has to pass before this event is sent. @default no */
  readonly isEarly?: (event: WorkflowEvent) => boolean;
}

export type Waiting = Extract<RunOutcome, { readonly status: "waiting" }>;

/** Lives as long as the test: a run that crashes and is resumed meets the same world. */
export class Responder {
  readonly #answers: NonNullable<ResponderOptions["answers"]>;
  readonly #events: readonly WorkflowEvent[];
  readonly #isEarly: (event: WorkflowEvent) => boolean;
  #sent = 0;

  constructor({ answers = {}, events = [], isEarly = () => false }: ResponderOptions) {
    this.#answers = answers;
    this.#events = events;
    this.#isEarly = isEarly;
  }

  /** The next event that the run has not accepted; `null` after the last. */
  get next(): WorkflowEvent | null {
    return this.#events[this.#sent] ?? null;
  }

  /** Does one thing for a waiting run. Returns `false` when there is nothing to do. */
  async act(handler: WorkflowHandler, { prompts }: Waiting): Promise<boolean> {
    for (const { promptId, event } of prompts) {
      const fields = this.#answerTo(event, promptId);
      if (fields !== null && (await handler.answer(promptId, fields)).status === "accepted") return true;
    }
    const { next } = this;
    return next !== null && !this.#isEarly(next) && (await handler.sendEvent(next as never)).status === "accepted";
  }

  /** Counts an event as sent once it is stored, whether or not the sender has heard so. */
  onStored(tick: Tick): void {
    if (tick.type === "event.received" && tick.event === this.next) this.#sent++;
  }

  #answerTo(prompt: WorkflowEvent, promptId: string): Answer {
    const found = typeof this.#answers === "function" ? this.#answers : this.#answers[prompt.type];
    return (typeof found === "function" ? found(prompt, promptId) : found) ?? null;
  }
}
