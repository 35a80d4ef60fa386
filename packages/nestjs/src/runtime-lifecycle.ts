import type { OnApplicationBootstrap, OnModuleDestroy } from "@nestjs/common";
import type { Runtime, ScheduleOptions, Workflows } from "millrace/runtime";
import type { MillraceSettings } from "./options.js";

/**
 * The runtime begins when every module is initialised. It stops while the modules that its steps use are still there: before
 * `beforeApplicationShutdown`, and before Nest waits for open connections, which the streams of runs would keep open.
 */
export class RuntimeLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #runtime: Runtime<Workflows>;
  readonly #settings: MillraceSettings;

  constructor(runtime: Runtime<Workflows>, settings: MillraceSettings) {
    this.#runtime = runtime;
    this.#settings = settings;
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const [name, schedule] of Object.entries(this.#settings.schedules ?? {}))
      await this.#runtime.schedules.set(name, schedule as ScheduleOptions & { input: Record<string, unknown> });
    await this.#runtime.start();
  }

  async onModuleDestroy(): Promise<void> {
    const { drainMs } = this.#settings;
    await this.#runtime.stop(drainMs === undefined ? {} : { drainMs });
  }
}
