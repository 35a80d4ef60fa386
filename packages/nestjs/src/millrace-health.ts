import { WorkflowError } from "millrace";
import type { Runtime, Workflows } from "millrace/runtime";

/** What a health indicator of `@nestjs/terminus` returns. */
export type RuntimeHealth<Key extends string = string> = {
  readonly [Name in Key]: { readonly status: "up" | "down"; readonly code?: string };
};

/**
 * Says whether the runtime works and its store responds.
 *
 * @example
 * return this.health.check([() => this.millrace.isHealthy()]); // in a controller, with `HealthCheckService` of `@nestjs/terminus`
 */
export class MillraceHealth {
  readonly #runtime: Runtime<Workflows>;

  constructor(runtime: Runtime<Workflows>) {
    this.#runtime = runtime;
  }

  /** Never rejects. A runtime that is down says why by the `code` of the error. @param key Default `"millrace"`. */
  async isHealthy<Key extends string = "millrace">(key: Key = "millrace" as Key): Promise<RuntimeHealth<Key>> {
    const code = await this.#problem();
    const health = code === null ? { status: "up" } : { status: "down", code };
    return { [key]: health } as RuntimeHealth<Key>;
  }

  /** Asks for a run that does not exist. */
  async #problem(): Promise<string | null> {
    try {
      await this.#runtime.handle("health of the runtime").summary();
      return null;
    } catch (error) {
      if (WorkflowError.is(error, "RUN_UNKNOWN")) return null;
      return WorkflowError.is(error) ? error.code : "INTERNAL";
    }
  }
}
