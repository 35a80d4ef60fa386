/**
 * What executors get as the context of their step: the real one, with some methods of its caller.
 *
 * @module
 */
import { type Context, WorkflowError } from "millrace";
import { noteOriginal } from "millrace/engine";

/** The context with methods and fields of `own` in place of its own. All others work on the context itself, so they are bound to it. */
export function contextWith(context: Context, own: object): Context {
  const proxy = new Proxy(context, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  noteOriginal(proxy, context);
  return proxy;
}

/**
 * Stands for `call.finish` in the calls of an executor: the state of the run is not its own.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 */
export function refuseFinish(): never {
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: "A call of an executor cannot end with `call.finish`: the state of the run is not its own.",
    hint: "Change the session state through `callContext(call)`, and return the result.",
  });
}
