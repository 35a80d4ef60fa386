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
  const { middlewares } = await createServer({ server: { middlewareMode: true } });
  app.use(({ env }) => {
    const { incoming, outgoing } = env as HttpBindings;
    middlewares(incoming, outgoing);
    return Promise.resolve(RESPONSE_ALREADY_SENT);
  });
}
