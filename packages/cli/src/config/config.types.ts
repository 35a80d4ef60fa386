import type { ServerOptions } from "@millrace/server";
import type { RunStore, RuntimeOptions, ScheduleOptions, Workflows } from "millrace/runtime";

/** What `millrace.config.ts` in the folder of the project says to every command that works on its runs. */
export interface MillraceConfig {
  /**
   * File or folder with the workflows, from the folder of the config, for `dev` and `serve` without one.
   * @default `src/workflows`, `workflows`, `src` or the folder itself, for `dev`
   */
  readonly workflows?: string;
  /**
   * A SQLite file, from the folder of the config, a URL such as `postgres://…`, or a function that opens a store. `--store`
   * overrides it.
   * @default `.millrace/runs.db`
   */
  readonly store?: string | (() => RunStore | Promise<RunStore>);
  /** Options of `createRuntime`, such as `queues`, `resources` and `telemetry`. @default none */
  readonly runtime?: Omit<RuntimeOptions<Workflows>, "workflows" | "store" | "execute" | "log">;
  /** Schedules by name. `dev` and `serve` set them when they start. One that is left out here later stays. @default none */
  readonly schedules?: { readonly [name: string]: ScheduleOptions };
  /** Options of `createServer`, such as `auth`, `chat` and `allowedHosts`, for `dev` and `serve`. `--token` replaces `auth`. @default none */
  readonly server?: Omit<ServerOptions, "runtime" | "log">;
}
