import type { HttpBindings } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Hono } from "hono";

interface PageOptions {
  /** Vite compiles the page when it is asked for, and reloads what changes. */
  readonly isDev: boolean;
}

/** Serves the page: what `vite build` has made or, while you develop, the sources by Vite. */
export async function servePage(app: Hono, { isDev }: PageOptions): Promise<void> {
  if (!isDev) {
    app.use(serveStatic({ root: "dist" }));
    return;
  }
  const { createServer } = await import("vite");
  // Node reads the config itself: else Vite writes a copy of it, which `node --watch` takes for a change.
  const { middlewares } = await createServer({ configLoader: "native", server: { middlewareMode: true } });
  app.use(({ env }) => {
    const { incoming, outgoing } = env as HttpBindings;
    middlewares(incoming, outgoing);
    return Promise.resolve(RESPONSE_ALREADY_SENT);
  });
}
