/** Services of the application as resources of steps. */
import type { InjectionToken } from "@nestjs/common";
import type { ModuleRef } from "@nestjs/core";
import { type Resource, resource, WorkflowError } from "millrace";

/** The container of the application. The module overrides it in its runtime, so that several applications have one each. */
export const nestContainer: Resource<ModuleRef> = resource("nestContainer", outsideOfNest, { scope: "app" });

function outsideOfNest(): ModuleRef {
  throw new WorkflowError({
    code: "RUNTIME_REQUIRED",
    message: "A step needs a service of Nest, and its run belongs to no runtime of `MillraceModule`.",
    hint: "Run it by the runtime of the module, or override the resource: `run(input, { resources: [mailer.override(fake)] })`.",
  });
}

/**
 * A provider of the application as a resource of steps, for workflows without a constructor. It is looked up when a step first needs
 * it, in every module of the application. Nest makes and disposes it: Millrace does not. Providers of the scopes `REQUEST` and
 * `TRANSIENT` cannot be injected: the step fails with `RESOURCE_FAILED`.
 *
 * @example
 * const mailer = injected(Mailer);
 * defineWorkflow("greet").step("send", { on: StartEvent, emits: StopEvent, resources: { mailer } }, async (ev, ctx, { mailer }) => …)
 */
export function injected<Value>(token: InjectionToken<Value>): Resource<Value> {
  const name = typeof token === "function" ? token.name : String(token);
  return resource(name, ({ nest }) => nest.get<Value>(token, { strict: false }), {
    scope: "app",
    resources: { nest: nestContainer },
    dispose: () => {},
  });
}
