/** Requests about the server: how many runs it has, its workflows and sessions, and what the caller may do. */
import {
  type AllCountsRecord,
  type AuditPageRecord,
  type AuditParams,
  type ConfigRecord,
  type EventsRecord,
  fromWire,
  type GraphRecord,
  type Path,
  type SchemasRecord,
  type SessionDetailsRecord,
  type SessionPageRecord,
  type SessionParams,
  type WorkflowList,
  type WorkflowRecord,
} from "millrace/wire";
import type {
  AuditFilter,
  ClientFacts,
  EventUse,
  ServerConfig,
  SessionDetails,
  StepSource,
  WorkflowDetails,
  WorkflowGraph,
} from "../about.types.js";
import type { CallOptions } from "../call.types.js";
import { type Call, pathTo, readJson } from "../http/transport.js";
import { checkOptions, type Rules } from "../options/check-options.js";
import * as rules from "../options/rules.js";
import type { ClientStatistics } from "../statistics.types.js";
import type { Connection } from "./handler-calls.js";
import { queryOf } from "./list-runs.js";

interface Asking<Answer, Options> {
  readonly path: string;
  /** A field that the answer has. */
  readonly field: keyof Answer & string;
  readonly allowed?: Rules;
  readonly query?: (options: Options) => Call["query"];
}

type Lists = {
  readonly [Field in keyof (AllCountsRecord &
    AuditPageRecord &
    SessionPageRecord &
    SessionDetailsRecord)]?: readonly object[];
};

type AboutServer = Omit<ClientFacts<{ readonly [name: string]: never }>, keyof ClientStatistics<never>>;

export function factsOf({ transport }: Connection): AboutServer {
  const get = async <Answer, Read, Options extends CallOptions>(
    { path, field, allowed = rules.call, query }: Asking<Answer, Options>,
    read: (answer: Answer) => Read,
    options: Options = {} as Options,
  ): Promise<Read> => {
    checkOptions("the call", options, allowed);
    const call: Call = { method: "GET", path, query: query?.(options) ?? {}, signal: options.signal };
    return transport.read(call, field, read);
  };
  /** A list of records, with what is beside it. */
  const list = async <Page, Options extends CallOptions>(
    asking: Asking<Lists, Options>,
    options: Options | undefined,
  ): Promise<Page> => {
    const { field } = asking;
    // Reading it fails where the field is not a list.
    const read = (answer: Lists): Page =>
      ({ ...answer, [field]: (answer[field] as readonly object[]).map(fromWire) }) as Page;
    return get(asking, read, options);
  };
  return {
    counts: async (filter) =>
      list(
        { path: "/handlers/counts" satisfies Path, field: "workflows", allowed: rules.counts, query: queryOf },
        filter,
      ),
    workflows: async (options) =>
      get(
        { path: "/workflows" satisfies Path, field: "workflows" },
        ({ workflows }: WorkflowList) => workflows,
        options,
      ),
    workflowDetails: async (options) =>
      get(
        { path: "/workflows" satisfies Path, field: "workflows" },
        ({ details }: WorkflowList) => details.map(toDetails),
        options,
      ),
    schema: async (workflow, options) =>
      get(
        { path: pathTo("/workflows/{name}/schema", { name: workflow }), field: "start" },
        (answer: SchemasRecord) => answer,
        options,
      ),
    events: async (workflow, options) =>
      get(
        { path: pathTo("/workflows/{name}/events", { name: workflow }), field: "events" },
        ({ events }: EventsRecord) => events,
        options,
      ),
    eventUses: async (workflow, options) =>
      get(
        { path: pathTo("/workflows/{name}/events", { name: workflow }), field: "events" },
        ({ roles }: EventsRecord) => toUses(roles),
        options,
      ),
    representation: async (workflow, options) =>
      get(
        { path: pathTo("/workflows/{name}/representation", { name: workflow }), field: "graph" },
        (answer: GraphRecord<WorkflowGraph>) => answer,
        options,
      ),
    stepSource: async (workflow, step, options) =>
      get(
        { path: pathTo("/workflows/{name}/steps/{step}/source", { name: workflow, step }), field: "text" },
        (answer: StepSource) => answer,
        options,
      ),
    sessions: async (filter) => {
      const query = ({ prefix: q, limit, cursor }: NonNullable<typeof filter>): SessionParams => ({ q, limit, cursor });
      return list({ path: "/sessions" satisfies Path, field: "sessions", allowed: rules.page, query }, filter);
    },
    session: async (sessionId, options) =>
      fromWire(
        await list<SessionDetailsRecord, CallOptions>(
          { path: pathTo("/sessions/{id}", { id: sessionId }), field: "runs" },
          options,
        ),
      ) as unknown as SessionDetails,
    audit: async (filter) =>
      list({ path: "/audit" satisfies Path, field: "entries", allowed: rules.audit, query: auditQuery }, filter),
    config: async (options) =>
      get(
        { path: "/studio/config" satisfies Path, field: "may" },
        (answer: ConfigRecord): ServerConfig => fromWire(answer),
        options,
      ),
    health: async (options = {}) => {
      checkOptions("health", options, rules.call);
      const call: Call = { method: "GET", path: "/health" satisfies Path, repeatable: false, signal: options.signal };
      return transport.send(call, async (response, attempt) => {
        if (response.status !== 503) return (await readJson(response, attempt)) as { status: "healthy" };
        await response.body?.cancel();
        return { status: "unhealthy" };
      });
    },
  };
}

function auditQuery({ user, door, action, handlerId, ...filter }: AuditFilter): AuditParams {
  return { ...queryOf(filter), user, door, action, handler_id: handlerId };
}

function toDetails({ last_run: last, ...details }: WorkflowRecord): WorkflowDetails {
  return { ...details, lastRun: last && fromWire(last) };
}

function toUses(roles: EventsRecord["roles"]): Record<string, EventUse> {
  return Object.fromEntries(Object.entries(roles).map(([type, use]) => [type, fromWire(use)]));
}
