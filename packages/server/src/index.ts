/**
 * `@millrace/server`: workflows over HTTP.
 *
 * @module
 */
export { createServer } from "./create-server.js";
export type {
  MetricsSource,
  RunTest,
  RunTests,
  ServerLimits,
  ServerOptions,
  StepSource,
  StepSources,
  TestedRun,
} from "./options.js";
export type { CorsOptions } from "./guard/cross-origin.js";
export type { ServerEnv } from "./guard/auth.js";
export type { StudioFile, StudioFiles } from "./studio-file.js";

// ---- one workflow as a function
export { createHandler } from "./serverless/create-handler.js";
export type { DueReport, RequestContext, RequestHandler } from "./serverless/create-handler.js";
export type { HandlerOptions } from "./serverless/handler-options.js";

// ---- who waits where
export type { QueueOf, QueuePlace, QueueRequest } from "./guard/queue-of.js";

// ---- who asks
export { bearerAuth } from "./guard/auth.js";
export type { Authenticate, BearerOptions, BearerToken, Identity } from "./guard/auth.js";
export type { Right, Rights } from "./guard/rights.js";

// ---- what goes over the wire
export type { JsonSchema } from "./wire/event-schema.js";
export type { Envelope, HandlerRecord as Handler, PromptRecord as Prompt, StreamedEnvelope } from "millrace/wire";
