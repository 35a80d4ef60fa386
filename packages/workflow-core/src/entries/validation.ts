/** Handlers that say what they send. */
import type { WorkflowContext } from "../context.js";
import type { WorkflowEvent, WorkflowEventData } from "../event.js";
import { warn } from "../warn.js";
import type { Workflow } from "../workflow.js";

type Rules = [inputs: WorkflowEvent<any>[], outputs: WorkflowEvent<any>[]][];

/** A handler whose first argument sends what the rules allow. */
export type ValidationHandler<
  Validation extends [inputs: WorkflowEvent<any>[], output: WorkflowEvent<any>[]][],
  AcceptEvents extends WorkflowEvent<any>[],
  Result extends WorkflowEventData<any> | void,
  Context extends WorkflowContext = WorkflowContext,
> = (
  sendEvent: (
    ...inputs: Array<
      Validation[number] extends infer Tuple
        ? Tuple extends [AcceptEvents, infer Outputs]
          ? Outputs extends WorkflowEvent<any>[]
            ? ReturnType<Outputs[number]["with"]>
            : never
          : never
        : never
    >
  ) => void,
  context: Context,
  ...events: { [Key in keyof AcceptEvents]: ReturnType<AcceptEvents[Key]["with"]> }
) => Result | Promise<Result>;

export type WithValidationWorkflow<
  Validation extends [inputs: WorkflowEvent<any>[], output: WorkflowEvent<any>[]][],
  Context extends WorkflowContext = WorkflowContext,
> = {
  /** As `handle`, with a checked `sendEvent` as the first argument. */
  strictHandle<
    const AcceptEvents extends WorkflowEvent<any>[],
    Result extends ReturnType<WorkflowEvent<any>["with"]> | void,
  >(accept: AcceptEvents, handler: ValidationHandler<Validation, AcceptEvents, Result, Context>): void;
};

/**
 * Adds `strictHandle`. A call of its `sendEvent` whose events are not those of a rule does not compile, and warns; the events are sent.
 *
 * @param validation Pairs of what a handler accepts and what one call of `sendEvent` sends.
 */
export function withValidation<const Validation extends Rules, WorkflowLike extends Workflow>(
  workflow: WorkflowLike,
  validation: Validation,
): WithValidationWorkflow<Validation> & WorkflowLike {
  const strictHandle = (accept: WorkflowEvent<any>[], handler: (...args: any[]) => any): void => {
    const allowed = validation.filter(([inputs]) => isSameList(inputs, accept)).map(([, outputs]) => outputs);
    workflow.handle(accept, (context: WorkflowContext, ...events: unknown[]) => {
      const sendEvent = (...sent: WorkflowEventData<any>[]): void => {
        if (!allowed.some((outputs) => includesAll(outputs, sent)))
          warn("Invalid input detected [%s]", sent.map(({ data }) => data as unknown).join(", "));
        context.sendEvent(...sent);
      };
      return handler(sendEvent, context, ...events);
    });
  };
  return { ...workflow, strictHandle } as never;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function includesAll(outputs: readonly WorkflowEvent<any>[], sent: readonly WorkflowEventData<any>[]): boolean {
  return outputs.length === sent.length && outputs.every((output, index) => output.include(sent[index]));
}
