/** Routes of queues and workers: of the whole store, so for callers that belong to no tenant. */
import { z } from "@hono/zod-openapi";
import type { QueueLimitChange, QueueLimitsShown, QueuePosition, QueueState, WorkerState } from "millrace/runtime";
import {
  type LineRecord,
  type QueueLimitsRecord,
  type QueuePositionRecord,
  type QueueStateRecord,
  toWire,
  type WorkerRecord,
} from "millrace/wire";
import { assertNoTenant } from "../guard/auth.js";
import { queueUnknown } from "../http/http-error.js";
import { isoTime } from "../system.js";
import { limitBody, position, queue, queueParams, worker } from "../wire/operate-schemas.js";
import { idParams } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const tag = "Queues";
const one = { tag, params: queueParams } as const;
const it = { 200: ["The queue", queue] } as const;
const who = "whoever looks after the queues";

export function mountQueues(server: Server): void {
  const { queues, workers } = server.runtime;
  mount(server, {
    route: "GET /queues",
    needs: ["read", "every"],
    operation: "listQueues",
    summary: "The queues of the store: what waits, what has a place, by which limits",
    tag,
    answers: { 200: ["All queues by name", z.object({ queues: z.array(queue) })] },
    handle: async ({ tenant }) => {
      assertNoTenant(tenant, who);
      return json({ queues: (await queues.list()).map(toQueue) });
    },
  });
  mount(server, {
    ...one,
    route: "GET /queues/{name}",
    needs: ["read", "every"],
    operation: "getQueue",
    summary: "A queue with its longest lines",
    answers: it,
    handle: async ({ tenant, params: { name } }) => {
      assertNoTenant(tenant, who);
      return json(toQueue(await known(server, name)));
    },
  });
  mount(server, {
    route: "GET /workers",
    needs: ["read", "every"],
    operation: "listWorkers",
    summary: "The processes that execute runs, the living ones first",
    tag: "Server",
    answers: { 200: ["All processes of the last day", z.object({ workers: z.array(worker) })] },
    handle: async ({ tenant }) => {
      assertNoTenant(tenant, who);
      return json({ workers: (await workers.list()).map(toWorker) });
    },
  });
  mount(server, {
    route: "GET /handlers/{id}/position",
    needs: ["read", "run"],
    operation: "getPosition",
    summary: "Where a run stands in the line of its queue",
    tag: "Handlers",
    params: idParams,
    answers: { 200: ["Its position, if it is in a line", position] },
    handle: async ({ tenant, params: { id } }) => {
      const found = await queues.position(id, { tenant });
      return json({ position: found && toPosition(found) });
    },
  });
  mountChanges(server);
}

function mountChanges(server: Server): void {
  const { queues } = server.runtime;
  const change = (how: "pause" | "resume" | "reset", summary: string): void =>
    mount(server, {
      ...one,
      route: `POST /queues/{name}/${how}`,
      needs: ["operate", "every"],
      operation: `${how}Queue`,
      summary,
      answers: it,
      handle: async ({ tenant, by, params: { name } }) => {
        assertNoTenant(tenant, who);
        await known(server, name);
        return json(toQueue(await queues[how](name, { by })));
      },
    });
  change("pause", "No run gets a place until it is resumed");
  change("resume", "Runs get places again");
  change("reset", "The limits in the options of processes hold again");
  mount(server, {
    ...one,
    route: "POST /queues/{name}/limit",
    needs: ["operate", "every"],
    operation: "limitQueue",
    summary: "Changes limits for all processes, without a restart",
    body: limitBody,
    answers: it,
    handle: async ({ tenant, by, params: { name }, body }) => {
      assertNoTenant(tenant, who);
      await known(server, name);
      return json(toQueue(await queues.limit(name, changeOf(body), { by })));
    },
  });
}

/** @throws {HttpError} 404 `QUEUE_UNKNOWN` */
async function known({ runtime }: Server, name: string): Promise<QueueState> {
  const found = await runtime.queues.get(name);
  if (found === null) throw queueUnknown(name);
  return found;
}

function changeOf({ concurrency, per_key: perKey, rate }: z.infer<typeof limitBody>): QueueLimitChange {
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(perKey !== undefined && { perKey: perKey === null ? null : { concurrency: perKey } }),
    ...(rate !== undefined && { rate: rate && { limit: rate.limit, per: rate.per_ms } }),
  };
}

function toQueue({ limits, configured, keys, ...state }: QueueState): QueueStateRecord {
  return {
    ...toWire(state),
    limits: toLimits(limits),
    configured: configured && toLimits(configured),
    keys: keys.map((key): LineRecord & { readonly key: string } => toWire(key)),
  };
}

function toLimits({ concurrency, perKey, rate }: QueueLimitsShown): QueueLimitsRecord {
  return { concurrency, per_key: perKey, rate: rate && { limit: rate.limit, per_ms: rate.perMs } };
}

function toPosition({ estimateMs, ...position }: QueuePosition): QueuePositionRecord {
  return { ...position, estimate_ms: estimateMs };
}

function toWorker({ queues, isAlive, startedAtMs, beatAtMs, maxRuns, ...state }: WorkerState): WorkerRecord {
  const limits = Object.entries(queues).map(([name, one]) => [name, toLimits(one)] as const);
  return {
    ...state,
    started_at: isoTime(startedAtMs),
    beat_at: isoTime(beatAtMs),
    alive: isAlive,
    max_runs: maxRuns,
    queues: Object.fromEntries(limits),
  };
}
