/**
 * The HTTP+JSON binding. The SDK has it for Express alone; the messages and the forms of errors are those of the SDK, and here are
 * the routes.
 *
 * @module
 */
import {
  A2A_CONTENT_TYPE,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { toRestErrorBody } from "@a2a-js/sdk/errors";
import { validateVersion } from "@a2a-js/sdk/server";
import { cleanJson, HttpError, wrongMethod } from "@millrace/server/door";
import { malformed, protocolError } from "../wire/errors.js";
import { type Fields, isFields } from "../wire/parts.js";
import type { BindingCall } from "./binding.types.js";
import { sseResponse } from "./sse.js";

/** @param path Behind the path of the door, such as `/tasks/7`. */
export async function answerRest(call: BindingCall, path: string): Promise<Response> {
  try {
    const { route, params } = routeOf(path, call.request.method);
    validateVersion(call.context.requestedVersion, call.card, "HTTP+JSON");
    const given = { ...queryOf(call.request), ...(call.request.method === "POST" && (await bodyOf(call))), ...params };
    return await route(call, given);
  } catch (error) {
    const { status, error: known } = protocolError(error, call.log);
    return respond(toRestErrorBody(known, status), status);
  }
}

type Route = (call: BindingCall, given: Fields) => Promise<Response>;

interface RouteRule {
  readonly methods: readonly string[];
  readonly path: RegExp;
  readonly route: Route;
}

const send: Route = async ({ requests, context }, given) => {
  const result = await requests.sendMessage(read(SendMessageRequest, given), context);
  const value = { payload: { $case: "task", value: result as Task } } as const;
  return respond(SendMessageResponse.toJSON(value));
};

const stream: Route = (call, given) =>
  streamed(call, call.requests.sendMessageStream(read(SendMessageRequest, given), call.context));

const subscribe: Route = (call, given) =>
  streamed(call, call.requests.resubscribe(read(SubscribeToTaskRequest, given), call.context));

const list: Route = async ({ requests, context }, given) => {
  const request = read(ListTasksRequest, { ...given, ...numbersOf(given), includeArtifacts: isTrue(given) });
  const listed = ListTasksResponse.toJSON(await requests.listTasks(request, context)) as Fields;
  return respond({ tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0, ...listed });
};

const get: Route = async ({ requests, context }, given) =>
  respond(Task.toJSON(await requests.getTask(read(GetTaskRequest, { ...given, ...numbersOf(given) }), context)));

const cancel: Route = async ({ requests, context }, given) =>
  respond(Task.toJSON(await requests.cancelTask(read(CancelTaskRequest, given), context)));

const addConfig: Route = async ({ requests, context }, given) => {
  const config = read(TaskPushNotificationConfig, given);
  const added = await requests.createTaskPushNotificationConfig(config, context);
  return respond(TaskPushNotificationConfig.toJSON(added), 201);
};

const listConfigs: Route = async ({ requests, context }, given) => {
  const request = read(ListTaskPushNotificationConfigsRequest, given);
  const listed = await requests.listTaskPushNotificationConfigs(request, context);
  return respond(ListTaskPushNotificationConfigsResponse.toJSON(listed));
};

const getConfig: Route = async ({ requests, context }, given) => {
  const request = read(GetTaskPushNotificationConfigRequest, given);
  return respond(TaskPushNotificationConfig.toJSON(await requests.getTaskPushNotificationConfig(request, context)));
};

const removeConfig: Route = async ({ requests, context }, given) => {
  await requests.deleteTaskPushNotificationConfig(read(DeleteTaskPushNotificationConfigRequest, given), context);
  return new Response(null, { status: 204 });
};

const configs = /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs$/;
const config = /^\/tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs\/(?<id>[^/]+)$/;

const rules: readonly RouteRule[] = [
  { methods: ["POST"], path: /^\/message:send$/, route: send },
  { methods: ["POST"], path: /^\/message:stream$/, route: stream },
  { methods: ["GET", "POST"], path: /^\/tasks\/(?<id>[^/]+):subscribe$/, route: subscribe },
  { methods: ["POST"], path: /^\/tasks\/(?<id>[^/]+):cancel$/, route: cancel },
  { methods: ["GET"], path: /^\/tasks$/, route: list },
  { methods: ["GET"], path: /^\/tasks\/(?<id>[^/:]+)$/, route: get },
  { methods: ["POST"], path: configs, route: addConfig },
  { methods: ["GET"], path: configs, route: listConfigs },
  { methods: ["GET"], path: config, route: getConfig },
  { methods: ["DELETE"], path: config, route: removeConfig },
  {
    methods: ["GET"],
    path: /^\/extendedAgentCard$/,
    route: ({ requests, context }) => requests.getAuthenticatedExtendedAgentCard({ tenant: "" }, context) as never,
  },
];

interface Found {
  readonly route: Route;
  readonly params: Fields;
}

/** The path may begin with a tenant. @throws {HttpError} `NOT_FOUND`, `METHOD_NOT_ALLOWED` */
function routeOf(path: string, method: string): Found {
  const [, tenant, rest] = /^\/([^/]+)(\/.+)$/.exec(path) ?? [];
  const found = rulesFor(path);
  if (found.length > 0) return foundIn(found, { path, method });
  const ofTenant = rest === undefined ? [] : rulesFor(rest);
  if (rest === undefined || ofTenant.length === 0) throw noRoute();
  const { route, params } = foundIn(ofTenant, { path: rest, method });
  return { route, params: { ...params, tenant: decoded(tenant as string) } };
}

const rulesFor = (path: string): RouteRule[] => rules.filter((rule) => rule.path.test(path));

function foundIn(
  found: readonly RouteRule[],
  { path, method }: { readonly path: string; readonly method: string },
): Found {
  const rule = found.find(({ methods }) => methods.includes(method));
  if (rule === undefined) throw wrongMethod(found.flatMap(({ methods }) => methods));
  const { groups = {} } = rule.path.exec(path) as RegExpExecArray;
  const params = Object.entries(groups).map(([name, id]) => [name, decoded(id)]);
  return { route: rule.route, params: Object.fromEntries(params) };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw malformed("The path has a `%` that begins no character.");
  }
}

function queryOf({ url }: Request): Fields {
  return Object.fromEntries(new URL(url).searchParams);
}

async function bodyOf({ caller }: BindingCall): Promise<Fields> {
  const body = await caller.readBody();
  if (isFields(body)) return body;
  throw malformed("The body is not an object.");
}

interface Reader<Message> {
  fromJSON(object: unknown): Message;
}

/** @throws {HttpError} `BODY_INVALID` for what the SDK cannot read. */
function read<Message>(reader: Reader<Message>, given: Fields): Message {
  try {
    return reader.fromJSON(given);
  } catch {
    throw malformed("The request cannot be read.", "Compare it with the messages of A2A 1.0.");
  }
}

/** Of a query, where all values are texts. */
function numbersOf(given: Fields): Fields {
  const names = ["pageSize", "historyLength"].filter((name) => given[name] !== undefined && given[name] !== "");
  const numbers = names.map((name) => [name, Number(given[name])] as const);
  for (const [name, number] of numbers)
    if (!Number.isInteger(number) || number < 0) throw malformed(`\`${name}\` is not a number from 0.`);
  return Object.fromEntries(numbers);
}

const isTrue = ({ includeArtifacts }: Fields): boolean => includeArtifacts === "true";

function streamed(
  { log, left }: BindingCall,
  updates: ReturnType<BindingCall["requests"]["resubscribe"]>,
): Promise<Response> {
  return sseResponse(updates, {
    json: (update) => StreamResponse.toJSON(update),
    error: (error) => {
      const { status, error: known } = protocolError(error, log);
      return toRestErrorBody(known, status);
    },
    left,
  });
}

function respond(value: unknown, status = 200): Response {
  return new Response(cleanJson(value), {
    status,
    headers: { "content-type": A2A_CONTENT_TYPE, "cache-control": "no-store" },
  });
}

function noRoute(): HttpError {
  return new HttpError({ status: 404, code: "NOT_FOUND", detail: "There is nothing here." });
}
