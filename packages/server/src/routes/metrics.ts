/** The route that Prometheus asks. */
import { z } from "@hono/zod-openapi";
import { assertNoTenant } from "../guard/auth.js";
import type { MetricsSource } from "../options.js";
import { mount } from "./route.js";
import type { Server } from "./server.types.js";

export function mountMetrics(server: Server, metrics: MetricsSource): void {
  mount(server, {
    route: "GET /metrics",
    needs: ["read", "every"],
    operation: "getMetrics",
    summary: "The metrics of this process, for Prometheus",
    tag: "Server",
    answers: { 200: ["Metrics", z.string(), ["text/plain"]] },
    handle: async ({ tenant }) => {
      assertNoTenant(tenant, "Prometheus");
      const text = await metrics.text();
      return new Response(text, { headers: { "content-type": metrics.contentType, "cache-control": "no-store" } });
    },
  });
}
