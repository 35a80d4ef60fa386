import type { WorkflowError } from "../../errors/workflow-error.js";
import type { AttemptCore } from "../run.types.js";
import { stepError } from "./step-error.js";

/** The time limit of an attempt: it counts while the step waits for no answer, and while a function of `ctx.run` is at work. */
export class StepTimer {
  readonly #attempt: AttemptCore;
  readonly #limitMs: number;
  #leftMs: number;
  #sinceMs = 0;
  #callOff: (() => void) | null = null;
  #isWaiting = false;

  constructor(attempt: AttemptCore, limitMs: number) {
    this.#attempt = attempt;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
    this.update();
  }

  /** @param isWaiting Whether the step waits for an answer. @default as before */
  update(isWaiting: boolean = this.#isWaiting): void {
    this.#isWaiting = isWaiting;
    if (isWaiting && this.#attempt.calls?.isWorking !== true) this.stop();
    else this.#run();
  }

  #run(): void {
    if (this.#callOff !== null || this.#attempt.ended !== null) return;
    const { clock } = this.#attempt.run.host.ports;
    this.#sinceMs = this.#attempt.run.now();
    this.#callOff = clock.setTimer(clock.now() + this.#leftMs, () =>
      this.#attempt.fail(timedOut(this.#attempt, this.#limitMs)),
    );
  }

  stop(): void {
    if (this.#callOff === null) return;
    this.#callOff();
    this.#callOff = null;
    // A clock that is set back adds no time.
    this.#leftMs -= Math.max(0, this.#attempt.run.now() - this.#sinceMs);
  }
}

function timedOut({ step, item }: AttemptCore, limitMs: number): WorkflowError {
  return stepError(step, {
    code: "STEP_TIMEOUT",
    what: `has worked for ${limitMs} ms (item ${item.id}, attempt ${item.attempt}): that is its limit`,
    hint: "Raise `timeout` of the step, or split it.",
    details: { limitMs, attempt: item.attempt },
  });
}
