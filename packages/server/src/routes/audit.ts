/** The route of the audit: who did what to runs. */
import { z } from "@hono/zod-openapi";
import type { AuditEntry, AuditFilter } from "millrace/runtime";
import { type AuditRecord, toWire } from "millrace/wire";
import { allowedOf } from "../guard/rights.js";
import { auditEntry, auditQuery } from "../wire/audit-schemas.js";
import { fromCursor, toCursor } from "../wire/cursor.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

const list = "audit";

export function mountAudit({ runtime, catalog, ...server }: Server): void {
  mount(
    { runtime, ...server },
    {
      route: "GET /audit",
      // Whoever may stop and delete runs may see who has: entries name people, and outlive their runs.
      needs: ["operate", "some"],
      operation: "listAudit",
      summary: "Who started, answered, cancelled, resumed, retried, forked and deleted runs, the newest first",
      tag: "Handlers",
      query: auditQuery,
      answers: { 200: ["A page", z.object({ entries: z.array(auditEntry), cursor: z.string().nullable() })] },
      handle: async ({ tenant, identity, query }) => {
        const { handler_id: runId, workflow_name: names, cursor: from, ...same } = query;
        const workflows = allowedOf(identity, "operate", { names, known: catalog.names });
        const place = from === undefined ? undefined : fromCursor(from, [list]).place;
        const page = await runtime.audit.list(given({ ...same, tenant, runId, workflows, cursor: place }));
        const cursor = page.cursor === null ? null : toCursor(list, page.cursor);
        return json({ entries: page.entries.map(toRecord), cursor });
      },
    },
  );
}

/** The conditions that were asked for. */
function given(filter: { readonly [Name in keyof AuditFilter]: AuditFilter[Name] | undefined }): AuditFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as AuditFilter;
}

function toRecord({ runId, ...entry }: AuditEntry): AuditRecord {
  return toWire({ ...entry, handlerId: runId });
}
