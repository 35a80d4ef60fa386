/**
 * `@millrace/server/serverless`: one workflow as a function, without the server, its routes and its schemas.
 *
 * @module
 */
export { createHandler } from "./serverless/create-handler.js";
export type { DueReport, RequestContext, RequestHandler } from "./serverless/create-handler.js";
export type { HandlerOptions } from "./serverless/handler-options.js";

// ---- who asks
export { bearerAuth } from "./guard/auth.js";
export type { Authenticate, BearerOptions, BearerToken, Identity } from "./guard/auth.js";

// ---- what goes over the wire
export type { Envelope, HandlerRecord as Handler, PromptRecord as Prompt } from "millrace/wire";
