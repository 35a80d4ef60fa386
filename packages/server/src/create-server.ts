/**
 * Workflows over HTTP: one app with a web-standard `fetch`.
 *
 * ```
 * request ──► CORS ──► of which origin ──► who asks ──► route: limits, then the schemas ──► runtime, of this tenant ──► answer
 * ```
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { RunCounts } from "./runs/count-runs.js";
import { assertMayWrite, type CorsOptions } from "./guard/cross-origin.js";
import { answerError, internal } from "./http/answer-error.js";
import { HttpError, wrongMethod } from "./http/http-error.js";
import { type ServerEnv, authenticate } from "./guard/auth.js";
import {
  type AnyRuntime,
  checkServerOptions,
  type ResolvedOptions,
  resolveOptions,
  type ServerOptions,
} from "./options.js";
import { assertWritable } from "./guard/read-only.js";
import { openQuotas } from "./quota/quotas.js";
import { mountDoor, openPathsOf } from "./routes/door.js";
import { mountAudit } from "./routes/audit.js";
import { mountBulk } from "./routes/bulk.js";
import { mountStatistics } from "./routes/statistics.js";
import { mountAbout } from "./routes/about.js";
import { docsPaths, mountDocs } from "./routes/docs.js";
import { mountEvents } from "./routes/events.js";
import { mountResumeAndFork } from "./routes/resume-and-fork.js";
import { mountHandlers } from "./routes/handlers.js";
import { mountHistory } from "./routes/history.js";
import { mountLinks } from "./routes/links.js";
import { mountMetrics } from "./routes/metrics.js";
import { mountPrompts } from "./routes/prompts.js";
import { mountSessions } from "./routes/sessions.js";
import { mountBudgets } from "./routes/budgets.js";
import { mountQueues } from "./routes/queues.js";
import { mountSchedules, mountSetSchedules } from "./routes/schedules.js";
import { mountResults } from "./routes/results.js";
import { mountTick } from "./routes/tick.js";
import { mountSources } from "./routes/sources.js";
import { mountTests } from "./routes/tests.js";
import { mountStart } from "./routes/start.js";
import { mountStudioConfig, mountStudioFiles } from "./routes/studio.js";
import type { Server } from "./routes/server.types.js";
import { once } from "./once.js";
import { LiveRuns } from "./stream/live-runs.js";
import { consoleLog } from "./system.js";
import { eventJsonSchema } from "./wire/event-schema.js";
import { WorkflowCatalog } from "./wire/workflow-facts.js";

/**
 * Creates the app. Its only state is what is under way, so any number of processes may serve one store.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 * @example
 * serve({ fetch: createServer({ runtime, auth: bearerAuth({ tokens: [token] }) }).fetch, port: 8080 });
 */
export function createServer(options: ServerOptions): Hono<ServerEnv> {
  const { runtime } = Object(options) as ServerOptions;
  if (typeof runtime === "function") return lazyServer(options, runtime);
  return serverOf(resolveOptions(options as ServerOptions & { readonly runtime: AnyRuntime }));
}

type OpenRuntime = Exclude<ServerOptions["runtime"], AnyRuntime>;

/** Asks for the runtime with the first request. Until then it has no routes. */
function lazyServer(options: ServerOptions, openRuntime: OpenRuntime): Hono<ServerEnv> {
  checkServerOptions(options);
  const { log = consoleLog } = options;
  const open = once(async () => serverOf(resolveOptions({ ...options, runtime: await openRuntime() })));
  const app = new OpenAPIHono<ServerEnv>();
  app.fetch = async (request, ...platform) => {
    let server: Hono<ServerEnv>;
    try {
      server = await open();
    } catch (error) {
      return internal(error, { method: request.method, path: new URL(request.url).pathname }, log);
    }
    return server.fetch(request, ...platform);
  };
  return app;
}

function serverOf(resolved: ResolvedOptions): Hono<ServerEnv> {
  const { runtime, limits, basePath } = resolved;
  const app = new OpenAPIHono<ServerEnv>();
  const catalog = new WorkflowCatalog(runtime.workflows, { ...resolved, schemaOf: eventJsonSchema });
  const server: Server = {
    app,
    limits,
    door: resolved.door,
    runtime,
    options: resolved,
    catalog,
    counts: new RunCounts(runtime),
    live: new LiveRuns({ runtime, catalog, log: resolved.log }),
    quotas: openQuotas(limits),
  };
  if (resolved.cors !== null) app.use(crossOrigin(resolved.cors));
  if (resolved.links !== null && !resolved.readOnly) mountLinks(server, resolved.links);
  app.use(refuseOtherOrigins(resolved));
  mountStudioFiles(server);
  app.use(identify(resolved));
  for (const mountGroup of groups) mountGroup(server);
  if (resolved.schedules) mountSetSchedules(server);
  if (resolved.metrics !== null) mountMetrics(server, resolved.metrics);
  if (resolved.chat !== null) mountDoor(server, "/chat", resolved.chat);
  if (resolved.a2a !== null) mountDoor(server, "/a2a", resolved.a2a);
  if (resolved.agui !== null) mountDoor(server, "/agui", resolved.agui);
  if (resolved.mcp !== null) mountDoor(server, "/mcp", resolved.mcp);
  if (resolved.sources !== null) mountSources(server, resolved.sources);
  if (resolved.tests !== null) mountTests(server, resolved.tests);
  refuseOtherMethods(server);
  app.notFound((context) => answerError(noRoute(), requestOf(context), resolved.log));
  app.onError((error, context) => answerError(error, requestOf(context), resolved.log));
  return basePath === "" ? app : under(basePath, app);
}

const groups: readonly ((server: Server) => void)[] = [
  mountAbout,
  mountStart,
  mountBulk,
  mountHandlers,
  mountResults,
  mountEvents,
  mountPrompts,
  mountResumeAndFork,
  mountHistory,
  mountAudit,
  mountStatistics,
  mountSchedules,
  mountQueues,
  mountBudgets,
  mountSessions,
  mountTick,
  mountStudioConfig,
  mountDocs,
];

function identify({ auth, publicDocs, basePath, ...options }: ResolvedOptions): MiddlewareHandler<ServerEnv> {
  const paths = ["/health", ...(publicDocs ? docsPaths : []), ...openPathsOf(options.a2a)];
  const open = new Set(paths.map((path) => basePath + path));
  return async (context, next) => {
    const isOpen = open.has(context.req.path);
    const identity = await authenticate(isOpen ? null : auth, context.req.raw);
    assertWritable(context.req.raw, options);
    context.set("identity", identity);
    await next();
  };
}

function crossOrigin({ origins, credentials = false, headers = [] }: CorsOptions): MiddlewareHandler {
  return cors({
    origin: origins.includes("*") ? "*" : [...origins],
    credentials,
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    allowHeaders: [...read, ...traced, ...headers],
    exposeHeaders: ["retry-after"],
    maxAge: 600,
  });
}

const read = ["authorization", "content-type", "idempotency-key", "last-event-id", "x-requested-with"];

/** What the OpenTelemetry of a page adds to its requests. */
const traced = ["traceparent", "tracestate"];

function refuseOtherOrigins({ cors: allowed }: ResolvedOptions): MiddlewareHandler {
  return async ({ req }, next) => {
    assertMayWrite(req.raw, { cors: allowed, isAskedInFront: false });
    await next();
  };
}

function under(basePath: string, app: OpenAPIHono<ServerEnv>): Hono<ServerEnv> {
  return new OpenAPIHono<ServerEnv>()
    .route(basePath, app)
    .notFound(() => Response.json({ detail: "There is nothing here.", code: "NOT_FOUND" }, { status: 404 }));
}

function requestOf(context: Context<ServerEnv>): { readonly method: string; readonly path: string } {
  return { method: context.req.method, path: context.req.path };
}

/** Answers 405 to a known path with another method. */
function refuseOtherMethods({ app }: Server): void {
  const methods = new Map<string, string[]>();
  for (const { path, method } of app.routes)
    if (method !== "ALL")
      methods.set(path, [...(methods.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  for (const [path, allowed] of methods)
    app.all(path, () => {
      throw wrongMethod(allowed);
    });
}

function noRoute(): HttpError {
  return new HttpError({ status: 404, code: "NOT_FOUND", detail: "There is nothing here." });
}
