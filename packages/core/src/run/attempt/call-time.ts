import type { OpenCall } from "../../state/edit-context.js";
import type { AttemptCore } from "../run.types.js";
import { stepError } from "./step-error.js";

interface Limit {
  readonly key: string;
  /** Number of the attempt of the call. */
  readonly number: number;
  readonly limitMs: number;
}

/** The time limit of one attempt of a call, and the signal that aborts with it. */
export class CallTime {
  readonly #attempt: AttemptCore;
  readonly #open: OpenCall;
  readonly #limit: Limit;
  readonly #controller = new AbortController();
  readonly #callOff: () => void;
  #reject: (error: unknown) => void = () => {};

  constructor(attempt: AttemptCore, open: OpenCall, limit: Limit) {
    this.#attempt = attempt;
    this.#open = open;
    this.#limit = limit;
    const { clock } = attempt.run.host.ports;
    this.#callOff = clock.setTimer(clock.now() + limit.limitMs, () => this.#expire());
    attempt.signal.addEventListener("abort", this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Rejects when the time is up. */
  race(outcome: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      Promise.resolve(outcome).then(resolve, reject);
    });
  }

  stop(): void {
    this.#callOff();
    this.#attempt.signal.removeEventListener("abort", this.#follow);
  }

  /** The attempt of the step is over, or fails: in the latter case it waits for this one of the call, whose time continues. */
  readonly #follow = (): void => {
    this.#controller.abort(this.#attempt.signal.reason);
    if (this.#attempt.ended !== null) this.#callOff();
  };

  /** Called when later results of the function are ignored. */
  #expire(): void {
    const { key, number, limitMs } = this.#limit;
    const error = stepError(this.#attempt.step, {
      code: "CALL_TIMEOUT",
      what: `has waited ${limitMs} ms for \`ctx.run("${key}", …)\` (attempt ${number}): that is its limit`,
      hint: "Raise `timeout` of the call, or set its `retry`.",
      details: { key, limitMs, attempt: number },
    });
    this.#open.open = false;
    this.#open.fault = error;
    this.stop();
    this.#reject(error);
    this.#controller.abort(error);
  }
}
