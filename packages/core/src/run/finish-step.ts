/**
 * `return ctx.finish(edit)`: a step ends with an edit and its output in one tick, both or neither.
 *
 * @module
 */

import type { Routing } from "../engine/routing.js";
import { canEndAlone } from "../engine/routing.js";
import type { EventData, WorkItem } from "../engine/state.js";
import type { StateChange, Tick } from "../engine/tick.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { LastEdit } from "../state/last-edits.js";

type Output = EventData | readonly EventData[] | null;

/** What is asked of the attempt that ends. */
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

interface NamedStep {
  readonly definition: { readonly name: string };
}

/** What `ctx.finish` gives: good for the attempt that asked for it. */
export class LastAct {
  readonly #edit: (draft: never) => unknown;
  /** What the callback shows to readers. Null: nothing yet. */
  shown: EventData[] | null = null;
  /** Whether the callback is at work. */
  isOpen = false;

  constructor(edit: (draft: never) => unknown) {
    this.#edit = edit;
  }

  edit(draft: never): unknown {
    this.isOpen = true;
    try {
      return this.#edit(draft);
    } finally {
      this.isOpen = false;
    }
  }

  show(event: EventData): void {
    if (this.shown === null) this.shown = [event];
    else this.shown.push(event);
  }
}

/** How a step ends with it: the edit, and how it is stored. */
export interface LastChange {
  readonly change: StateChange;
  /** Called once it is in the state, or never will be. */
  readonly told: () => void;
}

/** @throws {WorkflowError} `STEP_RESULT_INVALID` for a second one in one attempt, `OPTION_INVALID` for what is no function. */
export function beginLastAct(attempt: EndingAttempt, edit: (draft: never) => unknown): LastAct {
  const { step } = attempt;
  if (typeof edit !== "function") throw noCallback(step, edit);
  if (attempt.lastAct !== null) throw invalid(step, "called `ctx.finish` twice", "An attempt ends once: call it once.");
  attempt.lastAct = new LastAct(edit);
  return attempt.lastAct;
}

/**
 * An edit that is not returned would be lost in silence.
 *
 * @throws {WorkflowError} `STEP_RESULT_INVALID`
 */
export function assertLastActIs(attempt: EndingAttempt, value: unknown): void {
  const { lastAct, step } = attempt;
  if (lastAct === value) return;
  if (value instanceof LastAct)
    throw invalid(
      step,
      "returned what `ctx.finish` gave to another attempt",
      "Call it in the attempt that returns it.",
    );
  if (lastAct !== null)
    throw invalid(
      step,
      "called `ctx.finish` and returned something else, so its edit would be lost",
      "Return what it gives, alone: `return ctx.finish((state) => …)`.",
    );
}

/**
 * Makes the edit in its turn, which nearly always is now, and ends the attempt with it.
 *
 * @param outputOf Checks what the callback gave.
 */
export function finishWith(attempt: EndingAttempt, act: LastAct, outputOf: (answer: unknown) => Output): void {
  const { run, item } = attempt;
  run.store().last({
    run: run,
    token: attempt,
    edit: (draft) => act.edit(draft),
    isOver: () => attempt.ended !== null,
    submit(answer, change, told) {
      if (isThenable(answer)) throw isAsync(attempt.step, answer);
      const tick = attempt.finish(outputOf(answer), change && { change, told });
      return !canEndAlone(run.host.routing, item) && run.journal?.mayRefuse?.(tick) !== true;
    },
    fail: (error) => attempt.fail(error),
  });
}

function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return typeof (answer as { then?: unknown } | null | undefined)?.then === "function";
}

function isAsync(step: NamedStep, answer: PromiseLike<unknown>): WorkflowError {
  answer.then(null, () => {}); // nobody awaits it, and its failure says no more than this error
  return invalid(
    step,
    "gave `ctx.finish` a callback that is async",
    "The callback is synchronous: await what it needs before, and drop its `async`.",
  );
}

function noCallback({ definition: { name } }: NamedStep, given: unknown): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `Step "${name}" called \`ctx.finish\` with ${given === null ? "null" : `a value of type ${typeof given}`}.`,
    hint: "Give a function: `return ctx.finish((state) => { …; return new Next(); })`.",
    details: { option: "edit", step: name },
  });
}

function invalid({ definition: { name } }: NamedStep, what: string, hint: string): WorkflowError {
  return new WorkflowError({
    code: "STEP_RESULT_INVALID",
    message: `Step "${name}" ${what}.`,
    hint,
    details: { step: name },
  });
}
