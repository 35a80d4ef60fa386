/** Routes that do one action to many runs, and count them first. */
import { z } from "@hono/zod-openapi";
import type { BulkOptions, BulkSelection, BulkWhere } from "millrace/runtime";
import { allowedOf, assertMay, assertMaySome, isUniform, type Limited, type Right } from "../guard/rights.js";
import { runUnknown } from "../http/http-error.js";
import { callerOf } from "../quota/caller.js";
import { filterOf } from "../runs/list-runs.js";
import { idOfKey } from "../runs/start-run.js";
import { bulkBody, bulkQuery, matchQuery } from "../wire/bulk-schemas.js";
import { handlerRecord } from "../wire/handler-record.js";
import { handler, type ListFilter } from "../wire/schemas.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const tag = "Handlers";

interface Asking {
  readonly tenant: string;
  readonly identity: Limited;
}

/** Before the route of one run: a run of such a name is not read there. */
export function mountBulk(server: Server): void {
  const { runtime } = server;
  mount(server, {
    route: "GET /handlers/matching",
    needs: ["operate", "some"],
    operation: "countMatching",
    summary: "How many runs `POST /handlers/bulk` would act on",
    tag,
    query: matchQuery,
    answers: { 200: ["The number", z.object({ count: z.number(), all: z.boolean() })] },
    handle: async (call) => {
      const { action, most, cancelled_by: cancelledBy, ...filter } = call.query;
      const { count, isAll } = await runtime.matching({
        ...selectionOf(server, { ...call, action, filter, cancelledBy }),
        most,
      });
      return json({ count, all: isAll });
    },
  });
  mount(server, {
    route: "POST /handlers/bulk",
    needs: ["operate", "some"],
    operation: "startBulk",
    summary: "Starts a job that does one action to all runs that match, or to those that are named",
    tag,
    query: bulkQuery,
    body: bulkBody,
    isKeyed: true,
    answers: { 200: ["The job, which is a run", handler] },
    handle: async (call) => {
      const { context, body, query: filter, tenant, identity, by, idempotencyKey: key } = call;
      const {
        action,
        handler_ids: ids,
        handler_id: id,
        per_second: perSecond,
        reason,
        fields,
        prompt,
        cancelled_by: cancelledBy,
      } = body;
      server.quotas.starts.spend(callerOf(server.options, context));
      const selection =
        ids == null
          ? selectionOf(server, { tenant, identity, action, filter, cancelledBy })
          : await listedOf(server, { tenant, identity, action, ids, filter, cancelledBy });
      const runId = id ?? (key === null ? undefined : await idOfKey("bulk", key));
      const given = { runId, perSecond, reason, fields, prompt, by };
      const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
      const job = runtime.bulk({ ...selection, ...Object.fromEntries(set) } as BulkOptions);
      await job.accepted;
      return json(await handlerRecord(job, server.catalog));
    },
  });
}

/** Besides the right to act on many runs, that to answer. */
function rightsFor(action: BulkSelection["action"]): readonly Right[] {
  return action === "answer" ? ["operate", "answer"] : ["operate"];
}

interface Matching extends Asking {
  readonly action: BulkSelection["action"];
  readonly filter: ListFilter;
  /** Job whose cancelled runs are meant. */
  readonly cancelledBy?: string | null | undefined;
}

/** @throws {HttpError} `FORBIDDEN` */
function selectionOf({ catalog }: Server, { tenant, identity, action, filter, cancelledBy }: Matching): BulkSelection {
  let workflows: readonly string[] | undefined = filter.workflow_name;
  for (const right of rightsFor(action)) {
    assertMaySome(identity, right);
    workflows = allowedOf(identity, right, { names: workflows, known: catalog.names });
  }
  const where: BulkWhere = { ...filterOf(filter), ...(workflows !== undefined && { workflows }) };
  // Rights alone are no condition of the caller.
  const isEmpty = Object.values(filter).every((value) => value === undefined);
  if (cancelledBy != null)
    return { tenant, action, cancelledBy, where: isEmpty && workflows === undefined ? {} : where };
  return { tenant, action, where: isEmpty ? {} : where };
}

interface Listing extends Matching {
  readonly ids: readonly string[];
}

/** @throws {HttpError} `FORBIDDEN`, `RUN_UNKNOWN` @throws {WorkflowError} `OPTION_INVALID` */
async function listedOf(server: Server, { ids, ...asking }: Listing): Promise<BulkSelection> {
  const { tenant, identity, action, filter, cancelledBy } = asking;
  for (const right of rightsFor(action)) assertMaySome(identity, right);
  if (!isUniform(identity))
    for (const id of ids) {
      const { workflow } = await server.runtime.handle(id, { tenant }).summary();
      for (const right of rightsFor(action)) assertMay(identity, { right, workflow, unknown: () => runUnknown(id) });
    }
  const isAlone = Object.values(filter).every((value) => value === undefined);
  return {
    tenant,
    action,
    runIds: ids,
    ...(isAlone ? {} : { where: filterOf(filter) }),
    ...(cancelledBy != null && { cancelledBy }),
  };
}
