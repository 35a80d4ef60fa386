/** The route that Prometheus asks. */
import { z } from "@hono/zod-openapi";
import { HttpError } from "../http/http-error.js";
import type { MetricsSource } from "../options.js";
import { mount } from "./route.js";
import type { Server } from "./server.types.js";

export function mountMetrics(server: Server, metrics: MetricsSource): void {
  mount(server, {
    route: "GET /metrics",
    operation: "getMetrics",
    summary: "The metrics of this process, for Prometheus",
    tag: "Server",
    answers: { 200: ["Metrics", z.string(), ["text/plain"]] },
    handle: async ({ tenant }) => {
      if (tenant !== "") throw forbidden();
      const text = await metrics.text();
      return new Response(text, { headers: { "content-type": metrics.contentType, "cache-control": "no-store" } });
    },
  });
}

/** They tell of the runs of all tenants. */
function forbidden(): HttpError {
  return new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: "This is for callers that belong to no tenant.",
    hint: "Use credentials without a tenant for Prometheus.",
  });
}
