/** Requests about the server: how many runs it has, its workflows and sessions, and what the caller may do. */
import type {
  ClientFacts,
  EventUse,
  RunCounts,
  ServerConfig,
  Session,
  SessionDetails,
  SessionRun,
  StepSource,
  WorkflowDetails,
} from "../about.types.js";
import type { CallOptions } from "../call.types.js";
import { type Call, readJson, segment } from "../http/transport.js";
import { checkOptions, type Rules } from "../options/check-options.js";
import * as rules from "../options/rules.js";
import type {
  ConfigRecord,
  CountsRecord,
  EventsRecord,
  GraphRecord,
  SchemasRecord,
  SessionDetailsRecord,
  SessionPageRecord,
  WorkflowList,
  WorkflowRecord,
} from "../wire/contract.types.js";
import { renamed } from "../wire/renamed.js";
import type { Connection } from "./handler-calls.js";
import { queryOf } from "./list-runs.js";

interface Asking<Answer, Options> {
  readonly path: string;
  /** A field that the answer has. */
  readonly field: keyof Answer & string;
  readonly allowed?: Rules;
  readonly query?: (options: Options) => Call["query"];
}

export function factsOf({ transport }: Connection): ClientFacts<{ readonly [name: string]: never }> {
  const get = async <Answer, Read, Options extends CallOptions>(
    { path, field, allowed = rules.call, query }: Asking<Answer, Options>,
    read: (answer: Answer) => Read,
    options: Options = {} as Options,
  ): Promise<Read> => {
    checkOptions("the call", options, allowed);
    const call: Call = { method: "GET", path, query: query?.(options) ?? {}, signal: options.signal };
    return transport.read(call, field, read);
  };
  const about = (workflow: string, what: string): string => `/workflows/${segment(workflow)}/${what}`;
  return {
    counts: async (filter) => {
      const asking = { path: "/handlers/counts", field: "workflows", allowed: rules.counts, query: queryOf } as const;
      const read = ({ workflows, ...counts }: CountsRecord): RunCounts => {
        return { ...counts, workflows: workflows.map((one) => renamed(one)) };
      };
      return get(asking, read, filter);
    },
    workflows: async (options) =>
      get({ path: "/workflows", field: "workflows" }, ({ workflows }: WorkflowList) => workflows, options),
    workflowDetails: async (options) =>
      get({ path: "/workflows", field: "workflows" }, ({ details }: WorkflowList) => details.map(toDetails), options),
    schema: async (workflow, options) =>
      get({ path: about(workflow, "schema"), field: "start" }, (answer: SchemasRecord) => answer, options),
    events: async (workflow, options) =>
      get({ path: about(workflow, "events"), field: "events" }, ({ events }: EventsRecord) => events, options),
    eventUses: async (workflow, options) =>
      get({ path: about(workflow, "events"), field: "events" }, ({ roles }: EventsRecord) => toUses(roles), options),
    representation: async (workflow, options) =>
      get({ path: about(workflow, "representation"), field: "graph" }, (answer: GraphRecord) => answer, options),
    stepSource: async (workflow, step, options) => {
      const path = about(workflow, `steps/${segment(step)}/source`);
      return get({ path, field: "text" }, (answer: StepSource) => answer, options);
    },
    sessions: async (filter) => {
      const query = ({ prefix: q, limit, cursor }: NonNullable<typeof filter>) => ({ q, limit, cursor });
      const asking = { path: "/sessions", field: "sessions", allowed: rules.sessions, query } as const;
      const read = ({ sessions, ...page }: SessionPageRecord) => {
        return { ...page, sessions: sessions.map((one) => renamed<Session>(one)) };
      };
      return get(asking, read, filter);
    },
    session: async (sessionId, options) => {
      const read = ({ runs, ...session }: SessionDetailsRecord): SessionDetails => {
        return { ...renamed<SessionDetails>(session), runs: runs.map((run) => renamed<SessionRun>(run)) };
      };
      return get({ path: `/sessions/${segment(sessionId)}`, field: "runs" }, read, options);
    },
    config: async (options) =>
      get({ path: "/studio/config", field: "may" }, (answer: ConfigRecord) => renamed<ServerConfig>(answer), options),
    health: async (options = {}) => {
      checkOptions("health", options, rules.call);
      const call: Call = { method: "GET", path: "/health", repeatable: false, signal: options.signal };
      return transport.send(call, async (response, attempt) => {
        if (response.status !== 503) return (await readJson(response, attempt)) as { status: "healthy" };
        await response.body?.cancel();
        return { status: "unhealthy" };
      });
    },
  };
}

function toDetails({ last_run: last, ...details }: WorkflowRecord): WorkflowDetails {
  return { ...details, lastRun: last && renamed(last) };
}

function toUses(roles: EventsRecord["roles"]): Record<string, EventUse> {
  return Object.fromEntries(Object.entries(roles).map(([type, use]) => [type, renamed<EventUse>(use)]));
}
