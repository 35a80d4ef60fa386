/**
 * `@millrace/nestjs`: durable workflows in NestJS.
 *
 * @module
 */
export { MillraceModule } from "./millrace-module.js";
export type {
  MillraceAsyncOptions,
  MillraceOptions,
  MillraceSettings,
  MillraceStaticOptions,
  ProvidedWorkflow,
  ProvidedWorkflows,
} from "./options.js";

// ---- what is injected
export { InjectRuntime, RUNTIME } from "./runtime-token.js";
export { MillraceHealth, type RuntimeHealth } from "./millrace-health.js";

// ---- what steps use
export { injected } from "./injected.js";

// ---- who asks
export { nestRequestOf } from "./http/nest-requests.js";
