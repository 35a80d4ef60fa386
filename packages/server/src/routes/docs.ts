/** The documentation: for programs, and as a page made only of files in this package. */

import { json } from "./route.js";
import type { Server } from "./server.types.js";

const tags = [
  { name: "Workflows", description: "What can be run, with its inputs and results." },
  { name: "Runs", description: "Starting runs." },
  { name: "Handlers", description: "Existing runs: their status, their prompts, and how to continue them." },
  { name: "Events", description: "What runs show, and what is brought to them." },
  { name: "Sessions", description: "Conversations of pipelines and agents, with their state." },
  { name: "Schedules", description: "Runs that begin by the calendar." },
  { name: "Server", description: "The server itself." },
];
const info = {
  title: "Millrace",
  version: "1",
  description: "Workflows over HTTP.",
  license: { name: "MIT", identifier: "MIT" },
};

export function mountDocs({ app, options }: Server): void {
  const scheme = options.auth === null ? null : options.securityScheme;
  if (scheme !== null) app.openAPIRegistry.registerComponent("securitySchemes", "credentials", scheme as never);
  app.get("/openapi.json", () => json(openApi({ app, options }, scheme !== null)));
  app.get("/docs", () => file(page, "text/html", { "content-security-policy": policy }));
  app.get("/docs/start.js", () => file(start, "text/javascript"));
  app.get("/docs/swagger-ui.js", async () => file((await swaggerUi()).script, "text/javascript", kept));
  app.get("/docs/swagger-ui.css", async () => file((await swaggerUi()).style, "text/css", kept));
}

/** Paths of the documentation page. */
export const docsPaths: readonly string[] = [
  "/openapi.json",
  "/docs",
  "/docs/start.js",
  "/docs/swagger-ui.js",
  "/docs/swagger-ui.css",
];

function openApi({ app, options }: Pick<Server, "app" | "options">, isGuarded: boolean): object {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info,
    tags,
    servers: [{ url: options.basePath || "/" }],
    security: isGuarded ? [{ credentials: [] }] : [],
  });
}

/** Allows nothing from elsewhere, nothing inline, and no frames. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The files change only with the package. */
const kept = { "cache-control": "private, max-age=3600" };

function file(text: string, type: string, headers: Readonly<Record<string, string>> = {}): Response {
  const own = {
    "content-type": `${type}; charset=utf-8`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
  return new Response(text, { headers: { ...own, ...headers } });
}

/** Loads the files of Swagger UI, more than a megabyte, when the page is first opened. */
function swaggerUi(): Promise<typeof import("../docs/swagger-ui.js")> {
  return import("../docs/swagger-ui.js");
}

/** The page uses relative addresses, so that it works wherever the app is mounted. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Millrace</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="docs/swagger-ui.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

// Without `validatorUrl: null` the page would send the document to another service. Without the header, requests with
// cookies and no body would be refused.
const start = `SwaggerUIBundle({
  dom_id: "#docs",
  url: "openapi.json",
  deepLinking: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    request.headers["x-requested-with"] = "fetch";
    return request;
  },
});
`;
