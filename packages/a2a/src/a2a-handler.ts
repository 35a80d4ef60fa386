/**
 * Workflows as agents of A2A: a task is a run, seen by another agent.
 *
 * ```
 * request ──► JSON-RPC or REST ──► operation ──► run ──► task
 *                                                 └──► outbox ──► push notifications
 * ```
 *
 * @module
 */
import { A2A_VERSION_HEADER, AGENT_CARD_PATH, AgentCard } from "@a2a-js/sdk";
import {
  cleanJson,
  createDoor,
  type DoorCaller,
  type DoorOptions,
  doorRules,
  eventJsonSchema,
  type MountedDoor,
  WorkflowCatalog,
  withAuth,
  wrongMethod,
} from "@millrace/server/door";
import { WorkflowError } from "millrace";
import { callable, checkOptions, flag, type Rules, required, unchecked, valueRule } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import { agentCard, type CardFacts } from "./card/agent-card.js";
import type { TaskMessage } from "./message/message-input.js";
import type { Fields } from "./wire/parts.js";
import { answerJsonRpc } from "./bindings/json-rpc.js";
import { guarded } from "./bindings/guarded.js";
import { answerRest } from "./bindings/rest.js";
import { PushConfigs } from "./push/push-configs.js";
import type { PushNotifications } from "./push/push-notifications.js";
import { consoleLog } from "./system.js";
import type { MapEvent } from "./tasks/artifacts.js";
import { callContext } from "./requests/caller.js";
import type { Skill, TaskHost } from "./requests/task-host.types.js";
import { TaskRequests } from "./requests/task-requests.js";

// biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows; the input is checked by the workflow.
export type AnyRuntime = Runtime<any>;

/** Options of `a2aHandler`. */
export interface A2aOptions extends DoorOptions {
  /** What the card says of the agent. */
  readonly card: CardFacts;
  /** The workflows that are offered, by their names in the runtime, with what they do. Others are not. */
  readonly skills: Readonly<Record<string, string | Skill>>;
  /**
   * Public address of the door, such as `"https://app.example/a2a"`. Behind a proxy it is needed.
   * @default the address of the request for the card
   */
  readonly url?: string;
  /** Shows the card to everybody, even when `auth` is set. @default false */
  readonly publicCard?: boolean;
  /**
   * The input of the run that a message begins.
   *
   * @default the data parts are the fields, and text is the field that takes text; a field `sessionId` or `session_id` gets the
   * context
   */
  readonly input?: (message: TaskMessage) => Fields | Promise<Fields>;
  /** Shows events of the workflow as artifacts. @default words of agents and calls, and the result, are shown; events are not */
  readonly map?: MapEvent;
  /** Text of the error of a failed task, for the other agent. @default its code, without its message */
  readonly errorText?: (error: unknown) => string;
  /** What `pushNotifications` returns, whose workflow is in the runtime. @default no push notifications */
  readonly push?: PushNotifications;
  /** Milliseconds that a request which waits for its task waits at most; then it gets the task at work. @default 600000 */
  readonly waitMs?: number;
  /** Path of the handler where it is not mounted by `createServer`. @default "/a2a" */
  readonly basePath?: string;
}

/** What `a2aHandler` returns: a function for any host of `fetch`, and what `createServer({ a2a })` takes. */
export interface A2aHandler extends MountedDoor {
  /** Answers requests to `basePath`, and to `/.well-known/agent-card.json` on any path. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Offers workflows to other agents by A2A 1.0, over JSON-RPC and HTTP+JSON. Its only state is what is under way, so any number of
 * processes may serve one store.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 * @example
 * const a2a = a2aHandler(runtime, {
 *   card: { name: "Travel desk", description: "Books flights.", version: "1.0.0" },
 *   skills: { booking: "Books a flight to a city." },
 * });
 * serve({ fetch: createServer({ runtime, a2a }).fetch, port: 8080 });
 */
export function a2aHandler(runtime: AnyRuntime, options: A2aOptions): A2aHandler {
  checkOptions("The options of the A2A handler are wrong", withAuth(options as never), {
    rules,
    besides: problems(runtime, options),
  });
  const { card, url, publicCard = false, basePath = "/a2a", log = consoleLog, push } = options;
  const catalog = new WorkflowCatalog(runtime.workflows, { schemaOf: eventJsonSchema });
  const skills = Object.fromEntries(Object.entries(options.skills).map(([name, skill]) => [name, skillOf(skill)]));
  const { input, map, errorText = codeOf, waitMs = 600_000 } = options;
  const show = { catalog, map, errorText };
  const outbox = push === undefined ? null : nameOf(runtime, push);
  push?.bind({ runtime, ...show });
  const configs = outbox === null ? null : new PushConfigs({ runtime, workflow: outbox, allow: push?.options.allow });
  const host: TaskHost = { runtime, ...show, skills, input, waitMs, push: configs };
  const source = {
    facts: card,
    skills,
    catalog,
    pushNotifications: push !== undefined,
    readsText: input !== undefined,
  };
  const known = url === undefined ? null : agentCard(source, url);
  const cardAt = (request: Request, path: string): AgentCard =>
    known ?? agentCard(source, new URL(request.url).origin + path);
  const respond = async (request: Request, caller: DoorCaller): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const shown = cardAt(request, caller.basePath);
    if (pathname.endsWith(`/${AGENT_CARD_PATH}`)) return answerCard(request, shown);
    const version = request.headers.get(A2A_VERSION_HEADER);
    const left = new AbortController();
    const signal = AbortSignal.any([request.signal, left.signal]);
    const context = callContext({ ...caller, by: caller.by("a2a"), signal }, version);
    const requests = guarded(new TaskRequests(host, shown), log);
    const call = { request, caller, requests, context, card: shown, log, left };
    const path = pathname.slice(pathname.indexOf(caller.basePath) + caller.basePath.length);
    return path === "" || path === "/" ? answerJsonRpc(call) : answerRest(call, path);
  };
  const paths = [{ path: `/${AGENT_CARD_PATH}`, isOpen: publicCard }];
  const { auth, origins, limits } = options;
  const door = createDoor({ respond }, basePath, { ...(auth && { auth }), origins, limits, log });
  const open = createDoor({ respond }, basePath, { origins, limits, log });
  return { fetch: (request) => (publicCard && isCard(request) ? open : door)(request), respond, paths };
}

function isCard({ url }: Request): boolean {
  return new URL(url).pathname.endsWith(`/${AGENT_CARD_PATH}`);
}

function answerCard(request: Request, card: AgentCard): Response {
  if (request.method !== "GET" && request.method !== "HEAD") throw wrongMethod(["GET"]);
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-cache", vary: "host" };
  return new Response(cleanJson(AgentCard.toJSON(card)), { headers });
}

const skillOf = (skill: string | Skill): Skill => (typeof skill === "string" ? { description: skill } : skill);

/** Names no internals: what an error says may be about servers and keys. */
function codeOf(error: unknown): string {
  return WorkflowError.is(error) ? error.code : "STEP_FAILED";
}

/** The name that the runtime has for the outbox; `null`: it has none. */
function nameOf({ workflows }: AnyRuntime, { workflow }: PushNotifications): string | null {
  const found = Object.entries(workflows).find(([, one]) => one === (workflow as unknown));
  return found?.[0] ?? null;
}

function problems(runtime: AnyRuntime, { skills, push }: A2aOptions): string[] {
  const known = Object(Object(runtime).workflows);
  const names = Object.keys(Object(skills));
  return [
    ...(Object.keys(known).length === 0 ? ["the runtime has no workflows"] : []),
    ...(names.length === 0 ? ["`skills` names no workflow"] : []),
    ...names
      .filter((name) => !Object.hasOwn(known, name))
      .map((name) => `\`skills\` names "${name}", which is not a workflow of the runtime`),
    ...(push !== undefined && nameOf({ workflows: known } as AnyRuntime, Object(push)) === null
      ? ["the `workflow` of `push` is not among the workflows of the runtime"]
      : []),
  ];
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const isSkill = (skill: unknown): boolean => isText(skill) || isText((Object(skill) as Partial<Skill>).description);

const rules: Rules<A2aOptions> = {
  ...doorRules,
  card: required(
    valueRule((card) => {
      const { name, description, version } = Object(card) as Partial<CardFacts>;
      return [name, description, version].every(isText);
    }, "an object with the texts `name`, `description` and `version`"),
  ),
  skills: required(
    valueRule(
      (skills) => Object.values(Object(skills)).every(isSkill),
      "an object with a description for each name of a workflow",
    ),
  ),
  url: valueRule(
    (url) => /^https?:\/\/[^\s?#]+[^\s?#/]$/.test(String(url)),
    'an address such as "https://app.example/a2a"',
  ),
  publicCard: flag,
  input: callable,
  map: callable,
  errorText: callable,
  waitMs: valueRule((ms) => typeof ms === "number" && ms > 0, "a number above 0"),
  basePath: valueRule((path) => /^(\/[\w.~-]+)+$/.test(String(path)), 'a path such as "/a2a"'),
  ...unchecked("push"),
};
