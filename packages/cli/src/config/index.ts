/**
 * The types of `millrace.config.ts`.
 *
 * ```ts
 * // millrace.config.ts
 * import { defineConfig } from "@millrace/cli";
 *
 * export default defineConfig({ queues: … });
 * ```
 *
 * @module
 */
import type { MillraceConfig } from "./config.types.js";

export type { MillraceConfig } from "./config.types.js";

/** Returns the config as it is: for its types. */
export function defineConfig(config: MillraceConfig): MillraceConfig {
  return config;
}
