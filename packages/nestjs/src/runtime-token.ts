import { Inject } from "@nestjs/common";

/** Token of the runtime: what `createRuntime` of `millrace/runtime` returns. In tests: `moduleRef.get<Runtime>(RUNTIME)`. */
export const RUNTIME: unique symbol = Symbol.for("@millrace/nestjs/runtime");

/**
 * Injects the runtime.
 *
 * @example
 * constructor(@InjectRuntime() private readonly runtime: Runtime<{ refund: Refund }>) {}
 */
export function InjectRuntime(): PropertyDecorator & ParameterDecorator {
  return Inject(RUNTIME);
}
