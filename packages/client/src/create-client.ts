import type { ClientFacts } from "./about.types.js";
import type { CallOptions, KeyedOptions } from "./call.types.js";
import type { Client, ClientOptions, RunOptions } from "./client.types.js";
import type { ClientRun } from "./run.types.js";
import { openTransport } from "./http/open-transport.js";
import { type Call, pathTo, segment } from "./http/transport.js";
import type { EventClasses, Flows } from "./inferred.types.js";
import { checkOptions } from "./options/check-options.js";
import * as rules from "./options/rules.js";
import { factsOf } from "./run/about.js";
import { countMatching, startBulk } from "./run/bulk.js";
import { createClientRun } from "./run/client-run.js";
import { type Connection, deleteRun } from "./run/handler-calls.js";
import { eachRun, listRuns, watchRuns } from "./run/list-runs.js";
import { followHistory, readAttempts, readChildren, readHistory, readMoment } from "./run/history.js";
import { schedulesOf } from "./run/schedules.js";
import { statisticsOf } from "./run/statistics.js";
import { forkRun, continueRun, startRun } from "./run/start-run.js";
import { classesByType } from "./wire/event.js";

/**
 * Creates a client of a Millrace server.
 *
 * The workflows are only type arguments: with `import type`, the bundle contains none of their code.
 *
 * @throws {ClientError} `OPTION_INVALID` naming every problem.
 * @example
 * import type { workflows } from "../server/workflows.js";
 *
 * const client = createClient<typeof workflows>({ baseUrl: "https://example.com/api" });
 * const length = await client.run("joke", { topic: "pirates" }); // number, inferred
 */
export function createClient<Known extends Flows = Flows, Classes extends EventClasses = {}>(
  options: ClientOptions<Classes>,
): Client<Known, Classes> {
  checkOptions("createClient", options, rules.client);
  const connection: Connection = { transport: openTransport(options), classes: classesByType(options.events ?? {}) };
  return {
    ...runsOf(connection),
    ...factsOf(connection),
    ...statisticsOf(connection),
    schedules: schedulesOf(connection),
  } as unknown as Client<Known, Classes>;
}

type Methods = Omit<Client<Flows>, keyof ClientFacts<Flows> | "run" | "handle" | "schedules"> & {
  run(workflow: string, input?: object, options?: RunOptions): ClientRun;
  handle(handlerId: string, options?: CallOptions): ClientRun;
};

function runsOf(connection: Connection): Methods {
  const { transport } = connection;
  const continued = (handlerId: string, how: "resume" | "retry", options: KeyedOptions = {}): ClientRun => {
    checkOptions(how, options, rules.keyed);
    return continueRun(connection, handlerId, { how, ...options });
  };
  return {
    run: (workflow, input = {}, options = {}) => {
      checkOptions("run", options, rules.run);
      return startRun(connection, { workflow, input, options });
    },
    handle: (handlerId, options = {}) => {
      checkOptions("handle", options, rules.handle);
      segment(handlerId);
      return createClientRun({ connection, handlerId, started: null, signal: options.signal });
    },
    runs: async (filter = {}) => {
      checkOptions("runs", filter, rules.runs);
      return listRuns(connection, filter);
    },
    eachRun: (filter = {}) => {
      checkOptions("eachRun", filter, rules.eachRun);
      return { [Symbol.asyncIterator]: () => eachRun(connection, filter) };
    },
    watchRuns: (filter = {}) => {
      checkOptions("watchRuns", filter, rules.watchRuns);
      return watchRuns(connection, filter);
    },
    bulk: (options) => {
      checkOptions("bulk", { ...options, action: options?.action ?? null }, rules.bulk);
      checkOptions("bulk: where", options.where ?? {}, rules.watchRuns);
      return startBulk(connection, options);
    },
    matching: async (options) => {
      checkOptions("matching", { ...options, action: options?.action ?? null }, rules.matching);
      checkOptions("matching: where", options.where ?? {}, rules.watchRuns);
      return countMatching(connection, options);
    },
    fork: (handlerId, options) => {
      checkOptions("fork", { ...options, at: options?.at ?? null }, rules.fork);
      return forkRun(connection, handlerId, options);
    },
    resume: (handlerId, options) => continued(handlerId, "resume", options),
    retry: (handlerId, options) => continued(handlerId, "retry", options),
    delete: async (handlerId, options = {}) => {
      checkOptions("delete", options, rules.call);
      await deleteRun(connection, handlerId, options);
    },
    history: (handlerId, options = {}) => {
      checkOptions("history", options, rules.history);
      segment(handlerId);
      if (options.follow === true) return followHistory(connection, handlerId, options);
      return { [Symbol.asyncIterator]: () => readHistory(connection, handlerId, options) };
    },
    attempts: (handlerId, options = {}) => {
      checkOptions("attempts", options, rules.attempts);
      segment(handlerId);
      return { [Symbol.asyncIterator]: () => readAttempts(connection, handlerId, options) };
    },
    at: async (handlerId, tick, options = {}) => {
      checkOptions("at", { ...options, tick }, rules.moment);
      return readMoment(connection, handlerId, { ...options, tick });
    },
    children: async (handlerId, options = {}) => {
      checkOptions("children", options, rules.call);
      return readChildren(connection, handlerId, options);
    },
    snapshot: async (handlerId, options = {}) => {
      checkOptions("snapshot", options, rules.call);
      const call: Call = {
        method: "GET",
        path: pathTo("/handlers/{id}/snapshot", { id: handlerId }),
        signal: options.signal,
      };
      return transport.json(call, "workflow");
    },
  };
}
