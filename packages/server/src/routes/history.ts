/** Routes for the history and the snapshot of a run. */
import { z } from "@hono/zod-openapi";
import { encodeTick } from "millrace/engine";
import type { HistoryEntry, RunForked } from "millrace/runtime";
import { json, mount } from "../http/route.js";
import type { Server } from "../server.types.js";
import { isoTime } from "../system.js";
import { historyQuery, idParams } from "../wire/schemas.js";
import type { WorkflowFacts } from "../workflow-facts.js";
import { handleOf } from "./runs-of.js";

const route = { tag: "Handlers", params: idParams } as const;
const tick = z.object({
  number: z.number(),
  at: z.string(),
  run_id: z.string(),
  tick: z.record(z.string(), z.unknown()),
});

export function mountHistory(server: Server): void {
  const { runtime, catalog } = server;
  mount(server, {
    ...route,
    route: "GET /handlers/{id}/history",
    operation: "getHistory",
    summary: "Ticks of a run, in pages",
    query: historyQuery,
    answers: { 200: ["A page", z.object({ entries: z.array(tick), next: z.number().nullable() })] },
    handle: async (call) => {
      const { params, query, tenant } = call;
      const facts = catalog.get((await handleOf(server, call).summary()).workflow);
      const entries: object[] = [];
      let last = query.after;
      let count = 0;
      const after = query.after === 0 ? {} : { after: query.after };
      for await (const entry of runtime.history(params.id, { tenant, ...after })) {
        if (entry.tick.type === "run.forked") {
          entries.push(originOf(entry, entry.tick.from));
          continue; // the index of a page is one less: the tick after number 0 is the first
        }
        if (count++ === query.limit) return json({ entries, next: last });
        last = entry.number;
        entries.push(toEntry(entry, entry.tick, facts));
      }
      return json({ entries, next: null });
    },
  });
  mount(server, {
    ...route,
    route: "GET /handlers/{id}/snapshot",
    operation: "getSnapshot",
    summary: "Snapshot of a run, for `Context.fromDict`",
    answers: { 200: ["The snapshot", z.record(z.string(), z.unknown())] },
    handle: async (call) => json(await handleOf(server, call).snapshot()),
  });
}

function originOf({ number, atMs, runId }: HistoryEntry, from: RunForked["from"]): object {
  const tick = { type: "run.forked", from: { run_id: from.runId, tick: from.tick } };
  return { number, at: isoTime(atMs), run_id: runId, tick };
}

function toEntry(
  { number, atMs, runId }: HistoryEntry,
  happened: Exclude<HistoryEntry["tick"], RunForked>,
  { compiled, types }: WorkflowFacts,
): object {
  const { atMs: _atMs, ...encoded } = encodeTick(happened, { ...compiled, types });
  return { number, at: isoTime(atMs), run_id: runId, tick: encoded };
}
