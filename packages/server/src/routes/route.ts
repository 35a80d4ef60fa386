/**
 * A route. The schemas that check its requests are those of the OpenAPI document.
 *
 * @module
 */

import { createRoute, type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { DoneBy } from "millrace";
import type { HeaderName, Route } from "millrace/wire";
import { doneBy, type Identity, type ServerEnv } from "../guard/auth.js";
import { bodyInvalid, HttpError, type Issue } from "../http/http-error.js";
import { idempotencyKeyOf } from "../http/idempotency-key.js";
import { readBody } from "../http/read-body.js";
import type { ServerLimits } from "../options.js";
import { errorAnswer } from "../wire/schemas.js";
import { assertNeed, type Need, type NeedHost, type NeedParams } from "./need.js";

export { json } from "../http/json.js";

export interface RouteTable extends NeedHost {
  readonly app: OpenAPIHono<ServerEnv>;
  readonly limits: ServerLimits;
  /** Through which door requests come, as journals and the audit say. */
  readonly door: string;
}

export interface RouteOptions<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly route: Route;
  /** Operation id, for generated clients. */
  readonly operation: string;
  readonly summary: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Documented headers. The handler of the request reads them. */
  readonly headers?: z.ZodObject;
  /** Responses by status; `null` for an empty body. Error responses are added. */
  readonly answers: {
    readonly [status: number]: readonly [description: string, schema: z.ZodType | null, types?: readonly string[]];
  };
  /** The right that the caller needs, and of what; `null`: none. */
  readonly needs: Need | null;
  /** `true` when the route reads the header `Idempotency-Key`. */
  readonly isKeyed?: boolean;
  /** `true` when the route needs no credentials. */
  readonly isOpen?: boolean;
  /** Answers a request that has passed all checks. */
  readonly handle: (call: Call<z.infer<Params>, z.infer<Query>, z.infer<Body>>) => Promise<Response> | Response;
}

/** A request that has passed all checks. */
export interface Call<Params, Query, Body> {
  readonly context: Context<ServerEnv>;
  readonly tenant: string;
  readonly identity: Identity;
  /** Who sends the request: never a part of it. */
  readonly by: DoneBy;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly idempotencyKey: string | null;
}

export function mount<
  Params extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(table: RouteTable, options: RouteOptions<Params, Query, Body>): void {
  const { app, limits, door } = table;
  const route = createRoute(toConfig(options as never) as RouteConfig);
  app.openAPIRegistry.registerPath(route);
  app.on(route.method.toUpperCase(), route.getRoutingPath(), async (context) => {
    const identity = context.get("identity");
    const params = options.params && check(options.params, context.req.param(), "query");
    if (options.needs !== null) await assertNeed(table, options.needs, { identity, params: params as NeedParams });
    const call = {
      context,
      tenant: identity.tenant ?? "",
      identity,
      by: doneBy(identity, door),
      params,
      query: options.query && check(options.query, queryOf(context), "query"),
      body: options.body && check(options.body, await readBody(context.req.raw, limits), "body"),
      idempotencyKey: options.isKeyed === true ? idempotencyKeyOf(context.req.raw) : null,
    };
    return options.handle(call as never);
  });
}

function queryOf(context: Context<ServerEnv>): Record<string, unknown> {
  const pairs = Object.entries(context.req.queries());
  return Object.fromEntries(pairs.map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/** @throws {HttpError} `BODY_INVALID`, `QUERY_INVALID` */
function check(schema: z.ZodType, value: unknown, what: "body" | "query"): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  const detail = `The ${what} is wrong: ${issues.map((issue) => (issue.path && `${issue.path}: `) + issue.message).join("; ")}.`;
  throw what === "body" ? bodyInvalid(detail, issues) : queryInvalid(detail, issues);
}

function queryInvalid(detail: string, issues?: readonly Issue[]): HttpError {
  return new HttpError({ status: 400, code: "QUERY_INVALID", detail, ...(issues && { issues }) });
}

const keyHeader = z.object({
  ["idempotency-key" satisfies HeaderName]: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("It is done once for each key."),
});

function toConfig(options: RouteOptions<z.ZodType, z.ZodType, z.ZodType>): object {
  const { route, operation, summary, tag, params, query, body, answers, isKeyed, isOpen } = options;
  const [method, path] = route.split(" ") as [string, string];
  const headers = isKeyed === true ? keyHeader : options.headers;
  const responses = Object.entries(answers).map(([status, [description, schema, types = ["application/json"]]]) => [
    status,
    { description, ...(schema !== null && { content: Object.fromEntries(types.map((type) => [type, { schema }])) }) },
  ]);
  const failure = { description: "An error", content: { "application/json": { schema: errorAnswer } } };
  return {
    method: method.toLowerCase(),
    path,
    operationId: operation,
    summary,
    tags: [tag],
    ...(isOpen === true && { security: [] }),
    request: {
      params,
      query,
      ...(headers && { headers }),
      ...(body && {
        body: { required: !body.safeParse({}).success, content: { "application/json": { schema: body } } },
      }),
    },
    responses: { ...Object.fromEntries(responses), "4XX": failure, default: failure },
  };
}
