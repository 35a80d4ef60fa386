/** The options of `MillraceModule`. */
import type { CanActivate, InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from "@nestjs/common";
import type { ServerOptions } from "@millrace/server";
import { checkOptions, list, type Rules, required, valueRule } from "millrace/engine";
import type { RunStore, RuntimeOptions, ScheduleOptions, Workflows } from "millrace/runtime";

/**
 * A class that the module provides, with its constructor injected; an instance; or `{ useExisting }`: the token of a provider that
 * one of `imports`, or a global module, exports.
 */
export type ProvidedWorkflow =
  | Type<Workflows[string]>
  | Workflows[string]
  | { readonly useExisting: InjectionToken<Workflows[string]> };

/** Workflows by their durable names: a stored run finds its workflow by this name. */
export type ProvidedWorkflows = Readonly<Record<string, ProvidedWorkflow>>;

/** What has to be known before the application is made. */
export interface MillraceStaticOptions {
  /** The workflows by their durable names. The module exports those that are classes. */
  readonly workflows: ProvidedWorkflows;
  /**
   * Modules whose exports the workflows and `inject` need. They start before the runtime does, and are destroyed after it has stopped.
   * @default none
   */
  readonly imports?: NonNullable<ModuleMetadata["imports"]>;
  /**
   * Serves the workflows over HTTP under this path, such as `"flows"`, behind the global prefix: every route of `createServer` of
   * `@millrace/server`.
   * @default no routes
   */
  readonly path?: string;
  /** Guards of these routes, which run after those of the application. Needs `path`. @default none */
  readonly guards?: readonly (CanActivate | Type<CanActivate>)[];
}

/** What `createRuntime` and `createServer` take, and what a factory may return. */
export interface MillraceSettings extends Omit<RuntimeOptions<Workflows>, "workflows" | "store"> {
  /**
   * Where runs are kept. A function is called when the application is made, so that importing the module opens no store. The runtime
   * closes it.
   * @default `memoryStore()`: the runs end with the process
   */
  readonly store?: RunStore | (() => RunStore | Promise<RunStore>);
  /** Schedules by name, which each process sets when it starts. A schedule that is no longer named here stays until it is deleted. @default none */
  readonly schedules?: Readonly<Record<string, ScheduleOptions>>;
  /** Options of the server, without `runtime` and `basePath`. Needs `path`. @default those of `createServer`: any caller may use it */
  readonly server?: Omit<ServerOptions, "runtime" | "basePath">;
  /** Milliseconds that running steps have to finish when the application closes. @default 10000 */
  readonly drainMs?: number;
}

/** Options of `MillraceModule.forRoot`. */
export interface MillraceOptions extends MillraceStaticOptions, MillraceSettings {}

/** Options of `MillraceModule.forRootAsync`. */
export interface MillraceAsyncOptions extends MillraceStaticOptions {
  /** What `useFactory` gets, in this order. @default nothing */
  readonly inject?: readonly (InjectionToken | OptionalFactoryDependency)[];
  // biome-ignore lint/suspicious/noExplicitAny: what `inject` names; Nest checks it.
  readonly useFactory: (...services: any[]) => MillraceSettings | Promise<MillraceSettings>;
}

const rules: Rules<MillraceStaticOptions> = {
  workflows: required(valueRule(isNamed, "an object with a workflow, a class or `{ useExisting }` for each name")),
  imports: list,
  path: valueRule(
    (path) => typeof path === "string" && /^\/?[^/\s:*?]+(\/[^/\s:*?]+)*\/?$/.test(path),
    'a path such as "flows"',
  ),
  guards: list,
};

function isNamed(value: unknown): boolean {
  const given = typeof value === "object" && value !== null ? Object.values(value) : [];
  return (
    given.length > 0 && given.every((one) => (typeof one === "object" && one !== null) || typeof one === "function")
  );
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem of the static options. `createRuntime` checks the settings. */
export function checkStatic({ workflows, imports, path, guards }: MillraceStaticOptions, besides: string[] = []): void {
  if (guards !== undefined && path === undefined) besides.push("`guards` needs `path`");
  checkOptions("The options of `MillraceModule` are wrong", withoutUndefined({ workflows, imports, path, guards }), {
    rules,
    besides,
  });
}

function withoutUndefined(options: object): MillraceStaticOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
