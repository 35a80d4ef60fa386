/** The studio: its files, and the facts that a page needs about its server and its user. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { mayEvery, type Right, rightsForSome } from "../guard/rights.js";
import { type StudioFiles, studioFileOf } from "../studio-file.js";
import { version } from "../version.js";
import { json, mount } from "./route.js";
import type { Server } from "./server.types.js";

/** What the page offers, and the right that it needs. */
const deeds = {
  start: "start",
  send: "answer",
  answer: "answer",
  cancel: "operate",
  resume: "operate",
  retry: "operate",
  fork: "fork",
  override: "fork",
  delete: "operate",
  operate: "operate",
} satisfies Record<string, Right>;
const deedNames = Object.keys(deeds) as Deed[];

const config = z
  .object({
    version: z.string().describe("Of this server."),
    read_only: z.boolean(),
    may: z.object(Object.fromEntries(deedNames.map((deed) => [deed, z.boolean()])) as Record<Deed, z.ZodBoolean>),
    tenant: z.string().nullable().describe("Whose runs the caller sees; null: those of no tenant."),
    client: z.string().nullable().describe("The caller, as named by `auth`."),
    tenants: z.boolean().describe("Whether callers are identified: the server has `auth`."),
    metrics: z.boolean().describe("Whether there is `GET /metrics`."),
    queues: z.boolean().describe("Whether the caller may read `GET /queues` and `GET /workers`."),
    budgets: z.boolean().describe("Whether runs have budgets: the runtime has `budgets`."),
    schedules: z.boolean().describe("Whether the caller may read `GET /schedules`."),
    audit: z.boolean().describe("Whether the caller may read `GET /audit`."),
    sources: z.boolean().describe("Whether the code of steps may be read."),
    tests: z.boolean().describe("Whether there is `GET /handlers/{id}/test`."),
  })
  .openapi("StudioConfig");
type Deed = keyof typeof deeds;

export function mountStudioConfig(server: Server): void {
  mount(server, {
    route: "GET /studio/config",
    needs: null,
    operation: "getStudioConfig",
    summary: "What the caller may do here, and who it is",
    tag: "Server",
    answers: { 200: ["The facts that a page needs before it shows anything", config] },
    handle: ({ identity, tenant }) => {
      const { client = null } = identity;
      const { readOnly, callOverrides } = server.options;
      const given = readOnly ? [] : rightsForSome(identity);
      const isOffered = (deed: Deed): boolean => deed !== "override" || callOverrides;
      const may = Object.fromEntries(deedNames.map((deed) => [deed, isOffered(deed) && given.includes(deeds[deed])]));
      return json({
        version,
        read_only: !Object.values(may).includes(true),
        may,
        tenant: tenant === "" ? null : tenant,
        client,
        tenants: server.options.auth !== null,
        metrics: server.options.metrics !== null,
        queues: tenant === "" && mayEvery(identity, "read"),
        budgets: server.runtime.budgets.isDeclared,
        schedules: rightsForSome(identity).includes("read"),
        audit: rightsForSome(identity).includes("operate"),
        sources: server.options.sources !== null,
        tests: server.options.tests !== null,
      });
    },
  });
}

/**
 * Mounts the files, which hold no data and need no credentials. It comes before `auth` is asked, so it lets pass what is
 * no file.
 */
export function mountStudioFiles({ app, options }: Pick<Server, "app" | "options">): void {
  const fileOf = studioFileOf(options.studio);
  if (fileOf === null) return;
  app.get("/studio", () => new Response(null, { status: 308, headers: { location: "studio/" } }));
  app.get("/studio/", (context) => show(fileOf, "index.html", context));
  app.get("/studio/:path{.+}", (context, next) => {
    const path = context.req.param("path");
    return path === "config" ? next() : show(fileOf, path, context);
  });
}

async function show(fileOf: StudioFiles, path: string, context: Context): Promise<Response> {
  const file = isPlain(path) ? await fileOf(path) : null;
  if (file === null) return context.notFound();
  return new Response(file.body as Uint8Array<ArrayBuffer>, {
    headers: {
      "content-type": file.type,
      "x-content-type-options": "nosniff",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    },
  });
}

/** The package looks names up in a list; here it is only given what can be in one. */
function isPlain(path: string): boolean {
  return /^[\w@-][\w.@-]*(\/[\w@-][\w.@-]*)*$/.test(path);
}

/** Allows nothing from elsewhere, nothing inline, and no frames. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
