/** The route that a cron calls. */
import { z } from "@hono/zod-openapi";
import { assertNoTenant } from "../guard/auth.js";
import { isoTime } from "../system.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

export function mountTick(server: Server): void {
  mount(server, {
    route: "POST /tick",
    needs: ["operate", "every"],
    operation: "tick",
    summary: "Recovers the due runs of all tenants, and returns when to call again",
    tag: "Server",
    answers: { 200: ["Number of recovered runs", z.object({ taken: z.number(), wake_at: z.string().nullable() })] },
    handle: async ({ tenant }) => {
      assertNoTenant(tenant, "the cron");
      const taken = await server.runtime.start();
      const { wakeAtMs } = await server.runtime.due();
      return json({ taken, wake_at: wakeAtMs === null ? null : isoTime(wakeAtMs) });
    },
  });
}
