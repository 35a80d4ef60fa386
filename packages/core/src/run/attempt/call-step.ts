/** Calls the function of a step through its middleware, and checks its output. */

import type { Context } from "../../authoring/context.types.js";
import type { Middleware, StepCall } from "../../authoring/workflow.types.js";
import type { CompiledStep } from "../../compile/compile.js";
import { optionalModules } from "../../engine/optional-modules.js";
import type { EventData } from "../../engine/state.js";
import {
  invalidResult,
  isOfSecondCopy,
  ofSecondCopy,
  secondCopyHint,
  stepError,
  WorkflowError,
} from "../../errors/workflow-error.js";
import { classOf, type EventClass, isEvent, type WorkflowEvent } from "../../event/event.js";
import { isObject } from "../../value/kind.js";
import type { AttemptCore } from "../live-run.js";

export interface PreparedCall {
  readonly payload: unknown;
  readonly ctx: Context;
  readonly resources: unknown;
}

type Next = Parameters<Middleware>[1];

export function callWithMiddleware(attempt: AttemptCore, { payload, ctx, resources }: PreparedCall): unknown {
  const { compiled } = attempt.run.host;
  const { step, item, run } = attempt;
  const call: StepCall = {
    workflow: compiled.name,
    step: step.definition.name,
    runId: run.state.runId,
    item: item.id,
    attempt: attempt.number,
    event: payload,
    ctx,
  };
  let next: Next = async () => step.call(payload, ctx, resources) as never;
  for (const middleware of [...compiled.middleware].reverse()) next = wrap(middleware, call, next);
  return next();
}

/** Lets a middleware call `next` once: a step that runs twice in one attempt would find its own calls answered. */
function wrap(middleware: Middleware, call: StepCall, next: Next): Next {
  return async () => {
    let first: ReturnType<Next> | null = null;
    let isReused = false;
    const output = await middleware(call, () => {
      if (first === null) return (first = next());
      isReused = true;
      return refusal(call, first);
    });
    // Thrown here too, because the second call may not be awaited.
    if (isReused) throw nextReused(call);
    return output;
  };
}

/** Rejects only when the first call has ended: the attempt ends with it, and no code of the step may still run. */
function refusal(call: StepCall, first: ReturnType<Next>): ReturnType<Next> {
  const refused = first.then(
    () => {
      throw nextReused(call);
    },
    (cause: unknown) => {
      throw nextReused(call, { cause });
    },
  );
  refused.catch(() => {}); // the attempt fails with it, whether it is awaited or not
  return refused;
}

function nextReused({ step, item, attempt }: StepCall, cause: { readonly cause?: unknown } = {}): WorkflowError {
  return new WorkflowError({
    code: "CALL_INVALID",
    message: `Middleware calls \`next()\` twice for step "${step}" (item ${item}, attempt ${attempt}).`,
    hint: "Call it once; to retry a step, set its `retry` policy.",
    details: { reason: "next", step, item, attempt },
    ...cause,
  });
}

// ---- checks the output of a step against its declaration

export function checkOutput({ step }: AttemptCore, value: unknown): EventData | readonly EventData[] | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return checkEvent(step, value);
  if (step.elements === null)
    throw invalidResult(
      step,
      `returned an array of ${value.length}`,
      "The step returns an array: list its events in `emits` with many().",
    );
  optionalModules.elements?.check(step, value);
  return value as readonly EventData[];
}

function checkEvent(step: CompiledStep, value: unknown): EventData {
  if (!isEvent(value)) throw noEvent(step, value);
  if (step.alone.has(classOf(value))) return value;
  throw optionalModules.elements?.returnedAlone(step, value) ?? undeclared(step, value, "emits");
}

/** @throws {WorkflowError} `STEP_RESULT_INVALID` for a generator of a step that does not fan out. */
export function assertFansOut(step: CompiledStep): void {
  if (step.elements !== null) return;
  const types = step.definition.emits.join(", ");
  throw invalidResult(
    step,
    "is a generator",
    `The step yields ${types || "events"}, where \`emits\` says one: write many(${types || "…"}).`,
  );
}

export function noEvent(step: CompiledStep, value: unknown): WorkflowError {
  const isIterator = typeof (value as { next?: unknown } | null)?.next === "function";
  return invalidResult(
    step,
    `returned ${describe(value)}; it may return an event or nothing, with many() an array or an async generator of events`,
    isIterator
      ? "A step that yields is async: write `async *`."
      : "Wrap the value in an event: `return new StopEvent({ result: value })`.",
  );
}

export function undeclared(
  step: CompiledStep,
  event: WorkflowEvent,
  option: "emits" | "waits" | "streams",
): WorkflowError {
  const declared = [...step.definition[option]];
  const isSecond = isOfSecondCopy(event) && declared.includes(event.type);
  const twin = isSecond
    ? `; it is ${ofSecondCopy}`
    : declared.includes(event.type)
      ? " by another class of that type"
      : "";
  return stepError(step, {
    code: "EVENT_UNDECLARED",
    what: `uses ${event.type}, which its \`${option}\` does not list${twin}: ${declared.join(", ") || "nothing"}`,
    hint: isSecond ? secondCopyHint : `Add the class to \`${option}\` of the step.`,
    details: { event: event.type, option, declared },
  });
}

export function isGenerator(value: unknown): value is AsyncGenerator<WorkflowEvent, void> {
  if (isEvent(value)) return false; // nearly always: looking for a missing property takes longer
  const generator = value as { next?: unknown; [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof generator?.[Symbol.asyncIterator] === "function" && typeof generator.next === "function";
}

function describe(value: unknown): string {
  if (typeof value === "function")
    return `a function${(value as unknown as EventClass).type ? " (an event class: use `new`)" : ""}`;
  if (!isObject(value)) return `the ${typeof value} ${String(value).slice(0, 40)}`;
  if (Array.isArray(value)) return "an array";
  const name: unknown = value.constructor?.name;
  if (name === "Object") return plainObject(value);
  return `an object of ${typeof name === "string" && name !== "" ? name : "no class"}`;
}

function plainObject(value: object): string {
  const keys = Object.keys(value);
  const more = keys.length > 3 ? ", …" : "";
  return keys.length === 0 ? "an empty object" : `a plain object with ${keys.slice(0, 3).join(", ")}${more}`;
}
