import type { CallOptions, Client, ClientOptions, ClientRun, RunOptions } from "./client.types.js";
import { ClientError } from "./client-error.js";
import { resolveRetry } from "./http/backoff.js";
import { readJson, segment, Transport } from "./http/transport.js";
import type { EventClasses, Flows } from "./inferred.types.js";
import { createClientRun } from "./run/client-run.js";
import { askForSummary, type Connection, deleteRun, handlerPath } from "./run/handler-calls.js";
import { listRuns } from "./run/list-runs.js";
import { readHistory } from "./run/read-history.js";
import { forkRun, startRun } from "./run/start-run.js";
import { classesByType } from "./wire/event.js";

/**
 * A client of a Millrace server.
 *
 * The workflows are named for their types only: with `import type`, none of their code is in the bundle.
 *
 * @throws {ClientError} `OPTION_INVALID`.
 * @example
 * import type { workflows } from "../server/workflows.js";
 *
 * const client = createClient<typeof workflows>({ baseUrl: "https://example.com/api" });
 * const length = await client.run("joke", { topic: "pirates" }); // number, inferred
 */
export function createClient<Known extends Flows = Flows, Classes extends EventClasses = {}>(
  options: ClientOptions<Classes>,
): Client<Known, Classes> {
  const connection: Connection = { transport: openTransport(options), classes: classesByType(options.events ?? {}) };
  return { ...runsOf(connection), ...factsOf(connection) } as unknown as Client<Known, Classes>;
}

function openTransport(options: ClientOptions): Transport {
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  if (!URL.canParse(baseUrl, globalThis.location?.href)) {
    throw new ClientError({
      code: "OPTION_INVALID",
      message: `baseUrl is ${JSON.stringify(options.baseUrl)}, which is no URL here.`,
      hint: "Give a whole URL. A path alone leads somewhere only in a browser.",
    });
  }
  return new Transport({
    baseUrl,
    // Called as a function of its own: a `fetch` that is read off an object may refuse to run.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    headers: options.headers ?? {},
    retry: resolveRetry(options.retry),
    timeoutMs: positiveMs("timeoutMs", options.timeoutMs ?? 30_000),
    streamTimeoutMs: positiveMs("streamTimeoutMs", options.streamTimeoutMs ?? 60_000),
  });
}

/** The most that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function positiveMs(name: string, ms: number): number {
  if (ms > 0) return Math.min(ms, MAX_TIMER_MS);
  throw new ClientError({
    code: "OPTION_INVALID",
    message: `${name} is ${ms}.`,
    hint: "Give milliseconds above 0; Infinity for no limit.",
  });
}

type Methods = Omit<Client<Flows>, "run" | "handle"> & {
  run(workflow: string, input?: object, options?: RunOptions): ClientRun;
  handle(handlerId: string, options?: CallOptions): ClientRun;
};
type Facts = "workflows" | "schema" | "events" | "representation" | "health";

function runsOf(connection: Connection): Omit<Methods, Facts> {
  const { transport } = connection;
  const goOn = (handlerId: string, how: string, { signal }: CallOptions = {}): ClientRun => {
    const started = askForSummary(connection, { method: "POST", path: `${handlerPath(handlerId)}/${how}`, signal });
    return createClientRun({ connection, handlerId, started, signal });
  };
  return {
    run: (workflow, input = {}, options = {}) =>
      startRun(connection, { path: `/workflows/${segment(workflow)}/run-nowait`, input, options }),
    handle: (handlerId, { signal } = {}) => createClientRun({ connection, handlerId, started: null, signal }),
    runs: (filter = {}) => listRuns(connection, filter),
    fork: (handlerId, options) => forkRun(connection, handlerId, options),
    resume: (handlerId, options) => goOn(handlerId, "resume", options),
    retry: (handlerId, options) => goOn(handlerId, "retry", options),
    delete: (handlerId, options) => deleteRun(connection, handlerId, options),
    history: (handlerId, options = {}) => ({
      [Symbol.asyncIterator]: () => readHistory(connection, handlerId, options),
    }),
    snapshot: (handlerId, { signal } = {}) =>
      transport.json({ method: "GET", path: `${handlerPath(handlerId)}/snapshot`, signal }),
  };
}

function factsOf({ transport }: Connection): Pick<Methods, Facts> {
  const get = <Answer>(path: string, { signal }: CallOptions = {}): Promise<Answer> =>
    transport.json({ method: "GET", path, signal });
  const about = (workflow: string, what: string): string => `/workflows/${segment(workflow)}/${what}`;
  return {
    workflows: async (options) => (await get<{ workflows: string[] }>("/workflows", options)).workflows,
    schema: (workflow, options) => get(about(workflow, "schema"), options),
    events: async (workflow, options) => (await get<{ events: [] }>(about(workflow, "events"), options)).events,
    representation: (workflow, options) => get(about(workflow, "representation"), options),
    health: ({ signal } = {}) =>
      transport.send({ method: "GET", path: "/health", repeatable: false, signal }, async (response, attempt) => {
        if (response.status !== 503) return (await readJson(response, attempt)) as { status: "healthy" };
        await response.body?.cancel();
        return { status: "unhealthy" };
      }),
  };
}
