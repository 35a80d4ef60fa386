/** The options of `createServer`. */
import type { EventClass, Log, Workflow } from "millrace";
import { callable, checkOptions, flag, type Rule, type Rules, unchecked, valueRule } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import type { MountedDoor } from "./door/mounted-door.types.js";
import type { Authenticate } from "./guard/auth.js";
import type { CorsOptions } from "./guard/cross-origin.js";
import type { QueueOf } from "./guard/queue-of.js";
import { defaultBodyLimits } from "./http/read-body.js";
import type { SignedLinks } from "./links/signed-links.js";
import type { StudioFiles } from "./studio-file.js";
import { consoleLog } from "./system.js";

// biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows; their inputs are checked when they arrive.
export type AnyRuntime = Runtime<any>;

/** Options of `createServer`. */
export interface ServerOptions {
  /**
   * Runtime with the workflows and runs to serve. The server neither starts nor stops it. A function that returns one is called with
   * the first request, so that importing the module opens no store, as during `next build`; if it fails, the next request calls it
   * again.
   */
  readonly runtime: AnyRuntime | (() => AnyRuntime | Promise<AnyRuntime>);
  /**
   * Identifies the sender of a request. When set, every route but `GET /health` requires it.
   * @default everybody may use the server
   */
  readonly auth?: Authenticate;
  /**
   * The credentials that `auth` requires, as an OpenAPI security scheme for `/openapi.json` and `/docs`.
   * @default bearer tokens
   */
  readonly securityScheme?: Readonly<Record<string, unknown>>;
  /** Other origins whose pages may use the server. @default none */
  readonly cors?: CorsOptions;
  readonly limits?: Partial<ServerLimits>;
  /** Prefix of every route, such as `"/api"`. @default "" */
  readonly basePath?: string;
  /**
   * More events that callers may send to runs, by workflow. Without the option these are the events that a step of the
   * workflow or of its children waits for, and those that extend `ExternalEvent` or `HumanResponseEvent`.
   */
  readonly additionalEvents?: { readonly [workflow: string]: readonly EventClass[] };
  /**
   * Names of workflows that accept every event from outside, as servers of LlamaAgents do. Whoever can reach a run can
   * then send it to any step, past the steps that check or ask.
   *
   * @default none
   */
  readonly internalEvents?: readonly string[];
  /**
   * Lets callers with the right `fork` override a call of `ctx.run` in a fork: ask a model of an agent with other instructions, messages,
   * settings or another id. They say then what the agent's tools are called for.
   *
   * @default false
   */
  readonly callOverrides?: boolean;
  /**
   * Decides in which queue of the runtime a run of a caller waits, and under which key and priority. It is given what the caller
   * asks for; its result is used.
   *
   * @default runs of callers wait in no queue, and a request that names one is refused
   */
  readonly queueOf?: QueueOf;
  /** Serves `/schedules`: callers may then set up runs that begin by the calendar. @default false */
  readonly schedules?: boolean;
  /**
   * Serves the studio at `/studio/`: with `true` from the package `@millrace/studio`, which is loaded when a page is first opened
   * it, or with its `studioFile` itself, which bundles need. The page holds no data and needs no credentials; what it shows it asks
   * the other routes for.
   *
   * @default false
   */
  readonly studio?: boolean | StudioFiles;
  /**
   * Serves `/links/{link}`: signed links, made by `signedLinks` of `@millrace/server/webhooks`, which show and answer one prompt each.
   * A link is its own credential, so `auth` is not asked. A server that is `readOnly` has no such route. The `url` of the links has to end with `/links`, behind `basePath`.
   *
   * @default no such route
   */
  readonly links?: SignedLinks;
  /**
   * Serves chats at `/chat` for `useChat` of the AI SDK: what `chatHandler` of `@millrace/ai-sdk` returns.
   *
   * @default no such route
   */
  readonly chat?: MountedDoor;
  /**
   * Serves workflows to other agents by A2A at `/a2a`, and their card at `/.well-known/agent-card.json`: what `a2aHandler` of
   * `@millrace/a2a` returns.
   *
   * @default no such routes
   */
  readonly a2a?: MountedDoor;
  /**
   * Serves AG-UI at `/agui`: what `aguiHandler` of `@millrace/server/agui` returns.
   *
   * @default no such route
   */
  readonly agui?: MountedDoor;
  /**
   * Serves the Model Context Protocol at `/mcp`: what `mcpHandler` of `@millrace/server/mcp-handler` returns.
   *
   * @default no such route
   */
  readonly mcp?: MountedDoor;
  /** Allows reads only: every request that would change something is 403 `READ_ONLY`. @default false */
  readonly readOnly?: boolean;
  /**
   * Serves `GET /metrics` for Prometheus, to callers that belong to no tenant: what `prometheusMetrics` of `@millrace/otel/prometheus`
   * returns, or anything with this shape.
   *
   * @default no such route
   */
  readonly metrics?: MetricsSource;
  /**
   * Finds the code of steps, which every caller may then read: `GET /workflows/{name}/steps/{step}/source`. `millrace dev` sets
   * one for the files of its project.
   *
   * @default no such route
   */
  readonly sources?: StepSources;
  /**
   * Makes tests of runs that have ended, for callers who may read them: `GET /handlers/{id}/test`. `millrace dev` sets one for the
   * files of its project.
   *
   * @default no such route
   */
  readonly tests?: RunTests;
  /** Shows `/docs` and `/openapi.json` to everybody, even when `auth` is set. @default false */
  readonly publicDocs?: boolean;
  /**
   * Identifies the client for the limits per client.
   * @default the `client` that `auth` returns, or the address of the connection
   */
  readonly clientOf?: (request: Request) => string;
  /** The door that journals and the audit name for what requests do, such as `"admin"`. @default "http" */
  readonly door?: string;
  /** Receives unexpected errors, whose text no response contains. @default the console */
  readonly log?: Log;
}

/** Limits that protect the server. The ones for tenants and clients apply in each process separately. */
export interface ServerLimits {
  /** Size of a request body, in bytes. @default 1048576 */
  readonly bodyBytes: number;
  /** Nesting depth of objects and lists in a body. @default 64 */
  readonly bodyDepth: number;
  /** Milliseconds for a body to arrive. @default 10000 */
  readonly bodyTimeoutMs: number;
  /** Open streams in all. @default 10000 */
  readonly streams: number;
  /** Open streams of one tenant. @default 5000 */
  readonly streamsPerTenant: number;
  /** Open streams of one client. @default 100 */
  readonly streamsPerClient: number;
  /** Milliseconds of silence after which an SSE stream gets a comment. @default 15000 */
  readonly heartbeatMs: number;
  /**
   * Milliseconds that `POST …/run` waits for the end of a run before it answers 202, and the maximum of `GET
   * /handlers/{id}?wait=`.
   * @default 60000
   */
  readonly runWaitMs: number;
  /** Requests in all that wait for a run: `POST …/run` and `?wait=`. @default 10000 */
  readonly waits: number;
  /** Waiting requests of one tenant. @default 5000 */
  readonly waitsPerTenant: number;
  /** Waiting requests of one client. @default 100 */
  readonly waitsPerClient: number;
  /** Runs that one tenant starts or forks in a minute. @default 60000 */
  readonly startsPerMinutePerTenant: number;
  /** Runs that one client starts or forks in a minute. @default 6000 */
  readonly startsPerMinutePerClient: number;
  /** Schedules of one tenant. @default 1000 */
  readonly schedulesPerTenant: number;
}

export const defaultLimits: ServerLimits = {
  ...defaultBodyLimits,
  streams: 10_000,
  streamsPerTenant: 5_000,
  streamsPerClient: 100,
  heartbeatMs: 15_000,
  runWaitMs: 60_000,
  waits: 10_000,
  waitsPerTenant: 5_000,
  waitsPerClient: 100,
  startsPerMinutePerTenant: 60_000,
  startsPerMinutePerClient: 6_000,
  schedulesPerTenant: 1_000,
};

/** The metrics of this process as text. */
export interface MetricsSource {
  /** Such as `"text/plain; version=0.0.4; charset=utf-8"`. */
  readonly contentType: string;
  text(): Promise<string>;
}

/** Finds the code of steps. */
export interface StepSources {
  /** @returns `null` where the code is not known, or not to be shown. */
  read(workflow: Workflow, step: string): Promise<StepSource | null>;
}

/** The function of a step, as its author wrote it. */
export interface StepSource {
  /** Relative to the folder of the project, with `/`. */
  readonly file: string;
  /** Of the first line of `text`, from 1. */
  readonly line: number;
  /** Whole lines. */
  readonly text: string;
}

/** Makes tests of runs. */
export interface RunTests {
  /**
   * @returns `null` where the code of the workflow is not known.
   * @throws {WorkflowError} `OPTION_INVALID` for a run of which no test can be made: 400.
   */
  make(run: TestedRun): Promise<RunTest | null>;
}

/** A run that becomes a test. */
export interface TestedRun {
  readonly runtime: Runtime;
  readonly runId: string;
  readonly tenant: string;
  /** Names of fields whose texts are replaced. */
  readonly redact: readonly string[];
}

/** The files of a test. Paths are relative to the folder of the project, with `/`. */
export interface RunTest {
  readonly recording: { readonly path: string; readonly text: string };
  readonly test: { readonly path: string; readonly text: string };
}

/** The options with their defaults. */
export interface ResolvedOptions
  extends Omit<
    Required<ServerOptions>,
    | "runtime"
    | "auth"
    | "cors"
    | "clientOf"
    | "queueOf"
    | "metrics"
    | "sources"
    | "tests"
    | "links"
    | "chat"
    | "a2a"
    | "agui"
    | "mcp"
    | "limits"
  > {
  readonly runtime: AnyRuntime;
  readonly auth: Authenticate | null;
  readonly cors: CorsOptions | null;
  readonly clientOf: ((request: Request) => string) | null;
  readonly queueOf: QueueOf | null;
  readonly metrics: MetricsSource | null;
  readonly sources: StepSources | null;
  readonly tests: RunTests | null;
  readonly links: SignedLinks | null;
  readonly chat: MountedDoor | null;
  readonly a2a: MountedDoor | null;
  readonly agui: MountedDoor | null;
  readonly mcp: MountedDoor | null;
  readonly limits: ServerLimits;
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function checkServerOptions(options: ServerOptions): void {
  const besides = isGiven(options) ? namingProblems(options) : [];
  checkOptions("The options of the server are wrong", withAuth(options), { rules, besides });
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function resolveOptions(options: ServerOptions & { readonly runtime: AnyRuntime }): ResolvedOptions {
  checkServerOptions(options);
  // An option that is undefined is left out, as one of `process.env` may be.
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as typeof options;
  const { auth, cors, clientOf, queueOf, metrics, sources, tests, links, chat, a2a, agui, mcp, limits, ...rest } =
    given;
  return {
    basePath: "",
    additionalEvents: {},
    internalEvents: [],
    callOverrides: false,
    schedules: false,
    studio: false,
    readOnly: false,
    publicDocs: false,
    door: "http",
    securityScheme: { type: "http", scheme: "bearer" },
    log: consoleLog,
    ...rest,
    auth: auth ?? null,
    cors: cors ?? null,
    clientOf: clientOf ?? null,
    queueOf: queueOf ?? null,
    metrics: metrics ?? null,
    sources: sources ?? null,
    tests: tests ?? null,
    links: links ?? null,
    chat: chat ?? null,
    a2a: a2a ?? null,
    agui: agui ?? null,
    mcp: mcp ?? null,
    limits: { ...defaultLimits, ...limits },
  };
}

/** With `null` for an `auth` that is given and undefined: it is refused, because without `auth` everybody may do everything. */
export function withAuth<Options extends { readonly auth?: Authenticate }>(options: Options): Options {
  return isGiven(options) && Object.hasOwn(options, "auth") ? { ...options, auth: options.auth ?? null } : options;
}

function isGiven(options: unknown): boolean {
  return options !== undefined && options !== null;
}

// ---- rules

export const authRule: Rule = (auth) =>
  auth === undefined || typeof auth === "function"
    ? []
    : ["`auth` must be a function, such as `bearerAuth(…)` returns; leave it out if every caller may use the server"];

export const runtimeRule: Rule = (runtime) =>
  Object.keys(workflowsOf(runtime)).length === 0 ? ["`runtime` is no runtime"] : [];

export function workflowsOf(runtime: unknown): { readonly [name: string]: Workflow } {
  return (runtime as AnyRuntime | undefined)?.workflows ?? {};
}

/** Each of the list is one such as `example`. */
function listOf(noun: string, example: string, pattern: RegExp): Rule {
  const isOne = (text: unknown): boolean => typeof text === "string" && pattern.test(text);
  return (list = [], option) => {
    if (!Array.isArray(list)) return [`\`${option}\` is not a list of ${noun}s`];
    const wrong = list.filter((one) => !isOne(one));
    return wrong.map((one) => `\`${option}\` has ${JSON.stringify(one)}, no ${noun} such as "${example}"`);
  };
}

/** Refuses an origin that no browser sends as `Origin`: it would match no request. */
export const originsRule: Rule = listOf("origin", "https://app.example", /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/);

/** `"*"` is refused: browsers treat it as a name when pages send cookies, and it never covers `authorization`. */
const headersRule: Rule = listOf("header", "x-api-key", /^[\w.-]+$/);

const corsRule: Rule = (cors) => {
  if (cors === undefined || cors === null) return [];
  const { origins, credentials, headers } = Object(cors) as Partial<CorsOptions>;
  if (!Array.isArray(origins)) return ["`cors` has no list `origins`"];
  const named = origins.filter((origin) => origin !== "*");
  return [
    ...(credentials && origins.includes("*") ? ['`cors` allows credentials from any origin: "*"'] : []),
    ...originsRule(named, "cors.origins"),
    ...headersRule(headers, "cors.headers"),
  ];
};

export const limitsRule: Rule = (limits) =>
  Object.entries(limits ?? {}).flatMap(([name, value]) => {
    if (!Object.hasOwn(defaultLimits, name)) return [`there is no \`limits.${name}\``];
    const isFine = Number.isFinite(value) && value >= 1;
    return isFine ? [] : [`\`limits.${name}\` is ${String(value)}, not a number from 1`];
  });

export const eventsRule: Rule = valueRule(
  (classes) => Array.isArray(classes) && classes.every((one) => typeof one?.type === "string"),
  "a list of classes of events",
);

export const logRule: Rule = valueRule((log) => {
  const { info, error } = Object(log) as Partial<Log>;
  return typeof info === "function" && typeof error === "function";
}, "a log with `info` and `error`");

const metricsRule: Rule = (metrics) => {
  const { contentType, text } = Object(metrics) as Partial<MetricsSource>;
  const isSource = typeof contentType === "string" && typeof text === "function";
  return metrics === undefined || isSource ? [] : ["`metrics` has no `contentType` and `text()`"];
};

function doorRule(maker: string): Rule {
  return (door, option) =>
    door === undefined || typeof (door as Partial<MountedDoor> | null)?.respond === "function"
      ? []
      : [`\`${option}\` has no \`respond()\`: pass what \`${maker}\` returns`];
}

const rules: Rules<ServerOptions> = {
  runtime: (runtime, option) => (typeof runtime === "function" ? [] : runtimeRule(runtime, option)),
  auth: authRule,
  cors: corsRule,
  limits: limitsRule,
  basePath: valueRule((path) => path === "" || /^(\/[\w.~-]+)+$/.test(String(path)), 'a path such as "/api"'),
  internalEvents: valueRule(Array.isArray, "a list of names of workflows"),
  callOverrides: flag,
  queueOf: callable,
  schedules: flag,
  studio: valueRule(
    (studio) => typeof studio === "boolean" || typeof studio === "function",
    "true or false or `studioFile`",
  ),
  links: valueRule((links) => typeof Object(links).handler === "function", "what `signedLinks` returns"),
  readOnly: flag,
  door: valueRule((door) => typeof door === "string" && door !== "", 'a name such as "admin"'),
  metrics: metricsRule,
  chat: doorRule("chatHandler"),
  a2a: doorRule("a2aHandler"),
  agui: doorRule("aguiHandler"),
  mcp: doorRule("mcpHandler"),
  sources: (sources) =>
    sources === undefined || typeof (sources as Partial<StepSources> | null)?.read === "function"
      ? []
      : ["`sources` has no `read()`"],
  tests: (tests) =>
    tests === undefined || typeof (tests as Partial<RunTests> | null)?.make === "function"
      ? []
      : ["`tests` has no `make()`"],
  additionalEvents: (events = {}, option) =>
    typeof events === "object" && events !== null
      ? Object.entries(events).flatMap(([workflow, classes]) => eventsRule(classes, `${option}.${workflow}`))
      : [`\`${option}\` has no lists of events by workflow`],
  publicDocs: flag,
  clientOf: callable,
  log: logRule,
  ...unchecked("securityScheme"),
};

function namingProblems({ runtime, additionalEvents = {}, internalEvents = [] }: ServerOptions): string[] {
  if (typeof runtime === "function") return []; // asked when the runtime is there
  const known = workflowsOf(runtime);
  return [
    ...unknownWorkflows("additionalEvents", Object.keys(additionalEvents ?? {}), known),
    ...(Array.isArray(internalEvents) ? unknownWorkflows("internalEvents", internalEvents, known) : []),
  ];
}

export function unknownWorkflows(option: string, names: readonly string[], known: object): string[] {
  const unknown = names.filter((name) => !Object.hasOwn(known, name));
  return unknown.map((name) => `\`${option}\` names "${name}", which is not a workflow of the runtime`);
}
