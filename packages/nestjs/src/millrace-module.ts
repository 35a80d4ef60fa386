/**
 * ```
 * MillraceModule (global) ──imports──► MillraceRuntimeModule ──imports──► modules of the workflows' services
 * ```
 *
 * The inner module is not global: Nest initialises modules after those that they import, and destroys them before, but global ones
 * first and last. So a step never meets a service that is not ready, or gone.
 */
import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  type InjectionToken,
  Module,
  type NestModule,
  type Provider,
} from "@nestjs/common";
import { ApplicationConfig, HttpAdapterHost, ModuleRef } from "@nestjs/core";
import { createRuntime, type Runtime, type Workflows } from "millrace/runtime";
import { type ServerController, serverController } from "./http/server-controller.js";
import { ServerDoor } from "./http/server-door.js";
import { nestContainer } from "./injected.js";
import { MillraceHealth } from "./millrace-health.js";
import {
  checkStatic,
  type MillraceAsyncOptions,
  type MillraceOptions,
  type MillraceSettings,
  type MillraceStaticOptions,
  type ProvidedWorkflow,
  type ProvidedWorkflows,
} from "./options.js";
import { RuntimeLifecycle } from "./runtime-lifecycle.js";
import { RUNTIME } from "./runtime-token.js";

const CONTROLLER = Symbol("controller of @millrace/nestjs");
const SETTINGS = Symbol("settings of @millrace/nestjs");

class MillraceRuntimeModule implements NestModule {
  readonly #door: ServerController | null;
  readonly #host: HttpAdapterHost;

  constructor(door: ServerController | null, host: HttpAdapterHost) {
    this.#door = door;
    this.#host = host;
  }

  configure(): void {
    this.#door?.takeAll(this.#host.httpAdapter.getType());
  }
}
// Called, because Node runs these sources in tests, and has no syntax for decorators.
Module({})(MillraceRuntimeModule);
Inject(CONTROLLER)(MillraceRuntimeModule, undefined, 0);
Inject(HttpAdapterHost)(MillraceRuntimeModule, undefined, 1);

/**
 * Durable workflows in a Nest application: one runtime, which any provider may inject, with the workflows as providers, and their
 * server as a controller.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: a module of Nest is a class
export class MillraceModule {
  /**
   * @throws {WorkflowError} `OPTION_INVALID` naming every problem; for what `createRuntime` and `createServer` take, the application
   * is then not made.
   * @example
   * MillraceModule.forRoot({
   *   imports: [MailModule],
   *   workflows: { refund: Refund },
   *   store: () => sqliteStore("runs.db"),
   *   path: "flows",
   *   server: { auth: bearerAuth({ tokens: [token] }) },
   * })
   */
  static forRoot(options: MillraceOptions): DynamicModule {
    const { workflows, imports, path, guards, ...settings } = Object(options) as MillraceOptions;
    const isLost = settings.server !== undefined && path === undefined;
    checkStatic({ workflows, imports, path, guards } as MillraceStaticOptions, isLost ? ["`server` needs `path`"] : []);
    return moduleOf(options, { provide: SETTINGS, useValue: settings });
  }

  /**
   * The same with settings that need providers, such as a configuration. `workflows`, `imports`, `path` and `guards` are given here,
   * because Nest needs them before it calls the factory.
   *
   * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
   * @example
   * MillraceModule.forRootAsync({
   *   imports: [ConfigModule],
   *   workflows: { refund: Refund },
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ store: sqliteStore(config.get("RUNS_FILE")) }),
   * })
   */
  static forRootAsync(options: MillraceAsyncOptions): DynamicModule {
    const { inject = [], useFactory } = Object(options) as MillraceAsyncOptions;
    checkStatic(Object(options), typeof useFactory === "function" ? [] : ["`useFactory` is not a function"]);
    return moduleOf(options, { provide: SETTINGS, inject: [...inject], useFactory });
  }
}

Module({})(MillraceModule);

function moduleOf(options: MillraceStaticOptions, settings: Provider): DynamicModule {
  const { workflows, imports = [], path, guards = [] } = options;
  const classes = [...new Set(Object.values(workflows))].filter((given) => typeof given === "function");
  const door = path === undefined ? null : serverController(path, guards);
  const inner: DynamicModule = {
    module: MillraceRuntimeModule,
    imports: [...imports],
    controllers: door === null ? [] : [door.controller],
    providers: [
      settings,
      { provide: CONTROLLER, useValue: door },
      ...classes,
      runtimeOf(workflows),
      { provide: MillraceHealth, inject: [RUNTIME], useFactory: (runtime) => new MillraceHealth(runtime) },
      {
        provide: RuntimeLifecycle,
        inject: [RUNTIME, SETTINGS],
        useFactory: (runtime, given) => new RuntimeLifecycle(runtime, given),
      },
      ...(path === undefined ? [] : [doorAt(path)]),
    ],
    exports: [RUNTIME, MillraceHealth, ...classes],
  };
  return { module: MillraceModule, global: true, imports: [inner], exports: [inner] };
}

function runtimeOf(workflows: ProvidedWorkflows): FactoryProvider {
  const given = Object.entries(workflows);
  const tokens = given.flatMap(([name, workflow]) => {
    const token = tokenOf(workflow);
    return token === null ? [] : [{ name, token }];
  });
  return {
    provide: RUNTIME,
    inject: [SETTINGS, ModuleRef, ...tokens.map(({ token }) => token)],
    useFactory: (settings: MillraceSettings, container: ModuleRef, ...instances: Workflows[string][]) => {
      const injected = tokens.map(({ name }, index) => [name, instances[index]]);
      // In the order of `workflows`, which lists keep.
      return openRuntime({ ...Object.fromEntries(given), ...Object.fromEntries(injected) }, settings, container);
    },
  };
}

/** `null`: an instance, which is no provider. */
function tokenOf(workflow: ProvidedWorkflow): InjectionToken | null {
  if (typeof workflow === "function") return workflow;
  return "useExisting" in workflow ? workflow.useExisting : null;
}

async function openRuntime(
  workflows: Workflows,
  settings: MillraceSettings,
  container: ModuleRef,
): Promise<Runtime<Workflows>> {
  const { store, resources = [], schedules: _schedules, server: _server, drainMs: _drainMs, ...options } = settings;
  const opened = typeof store === "function" ? await store() : store;
  return createRuntime({
    ...options,
    ...(opened !== undefined && { store: opened }),
    workflows,
    resources: [...resources, nestContainer.override(container)],
  });
}

function doorAt(path: string): FactoryProvider {
  return {
    provide: ServerDoor,
    inject: [RUNTIME, SETTINGS, ApplicationConfig],
    useFactory: (runtime: Runtime<Workflows>, { server }: MillraceSettings, config: ApplicationConfig) =>
      new ServerDoor({ ...server, runtime }, { path, prefix: () => config.getGlobalPrefix() }),
  };
}
