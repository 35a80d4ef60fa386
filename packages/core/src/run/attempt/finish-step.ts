/**
 * `return ctx.finish(edit)`: a step ends with an edit and its output in one tick, both or neither.
 *
 * @module
 */

import type { Routing } from "../../engine/routing.js";
import { canEndAlone } from "../../engine/routing.js";
import type { EventData, WorkItem } from "../../engine/state.js";
import type { Tick } from "../../engine/tick.js";
import type { WorkflowError } from "../../errors/workflow-error.js";
import type { DirectEdit, LastEdit } from "../../state/last-edits.js";
import type { StateChange } from "../../state/patch.types.js";
import { isThenable } from "../../value/is-thenable.js";
import { invalidResult, type NamedStep, stepError } from "./step-error.js";

type Output = EventData | readonly EventData[] | null;

/** What an ending needs of its attempt. */
export interface EndingAttempt {
  readonly step: NamedStep;
  readonly item: WorkItem;
  readonly ended: string | null;
  readonly run: {
    readonly host: { readonly routing: Routing };
    readonly journal: { mayRefuse?(tick: Tick): boolean } | null;
    store(): { last(last: LastEdit): void };
  };
  lastAct: LastAct | null;
  finish(output: Output, last: LastChange | null): Tick;
  fail(error: unknown): void;
}

/** The result of `ctx.finish`, valid for the attempt that called it. */
export class LastAct {
  readonly #edit: (draft: never) => unknown;
  readonly #direct: DirectEdit | null;
  /** Events that the callback has written to the stream; `null` for none. */
  shown: EventData[] | null = null;
  /** `true` while the callback runs. */
  isOpen = false;

  constructor(edit: (draft: never) => unknown, direct: DirectEdit | null) {
    this.#edit = edit;
    this.#direct = direct;
  }

  edit(draft: never): unknown {
    return this.#opened(() => this.#edit(draft));
  }

  direct(state: unknown): ReturnType<DirectEdit> {
    const direct = this.#direct;
    return direct === null ? null : this.#opened(() => direct(state));
  }

  #opened<Answer>(work: () => Answer): Answer {
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
export interface LastChange {
  readonly change: StateChange;
  /** Called once it is in the state, or never will be. */
  readonly told: () => void;
}

/**
 * @throws {WorkflowError} `STEP_RESULT_INVALID` for a second call in one attempt, `OPTION_INVALID` for an argument that is not a
 * function.
 */
export function beginLastAct(
  attempt: EndingAttempt,
  edit: (draft: never) => unknown,
  direct: DirectEdit | null = null,
): LastAct {
  const { step } = attempt;
  if (typeof edit !== "function") throw noCallback(step, edit);
  if (attempt.lastAct !== null)
    throw invalidResult(step, "called `ctx.finish` twice", "An attempt ends once: call it once.");
  attempt.lastAct = new LastAct(edit, direct);
  return attempt.lastAct;
}

/**
 * Refuses a result that is not the one of `ctx.finish`: the edit would be lost silently.
 *
 * @throws {WorkflowError} `STEP_RESULT_INVALID`
 */
export function assertLastActIs(attempt: EndingAttempt, value: unknown): void {
  const { lastAct, step } = attempt;
  if (lastAct === value) return;
  if (value instanceof LastAct)
    throw invalidResult(
      step,
      "returned what `ctx.finish` gave to another attempt",
      "Call it in the attempt that returns it.",
    );
  if (lastAct !== null)
    throw invalidResult(
      step,
      "called `ctx.finish` and returned something else, so its edit would be lost",
      "Return what it gives, alone: `return ctx.finish((state) => …)`.",
    );
}

/**
 * Makes the edit in its turn, nearly always at once, and ends the attempt with it.
 *
 * @param outputOf Checks the result of the callback.
 */
export function finishWith(attempt: EndingAttempt, act: LastAct, outputOf: (answer: unknown) => Output): void {
  const { run, item } = attempt;
  run.store().last({
    run: run,
    token: attempt,
    edit: (draft) => act.edit(draft),
    direct: (state) => act.direct(state),
    isOver: () => attempt.ended !== null,
    submit(answer, change, told) {
      if (isThenable(answer)) throw isAsync(attempt.step, answer);
      const tick = attempt.finish(outputOf(answer), change && { change, told });
      return !canEndAlone(run.host.routing, item) && run.journal?.mayRefuse?.(tick) !== true;
    },
    fail: (error) => attempt.fail(error),
  });
}

function isAsync(step: NamedStep, answer: PromiseLike<unknown>): WorkflowError {
  answer.then(null, () => {}); // nobody awaits it, and its failure adds nothing to this error
  return invalidResult(
    step,
    "gave `ctx.finish` a callback that is async",
    "The callback is synchronous: await what it needs before, and drop its `async`.",
  );
}

function noCallback(step: NamedStep, given: unknown): WorkflowError {
  return stepError(step, {
    code: "OPTION_INVALID",
    what: `called \`ctx.finish\` with ${given === null ? "null" : `a value of type ${typeof given}`}`,
    hint: "Give a function: `return ctx.finish((state) => { …; return new Next(); })`.",
    details: { option: "edit" },
  });
}
