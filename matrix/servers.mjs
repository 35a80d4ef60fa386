/** The rows that answer a request instead of being run: workerd and Next. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { Miniflare } from "miniflare";
import { freePort } from "../test-ports.ts";
import { matrix, output, source } from "./tools.mjs";

const inMemory = { bundle: true, minify: true, format: "esm", target: "es2022", write: false };

/** No `nodejs_compat`: nothing of Node is there. */
export const inWorkerd = (form) =>
  inWorker(`import { runShop } from ${JSON.stringify(source(form))};
    export default { fetch: async () => new Response(await runShop()) };`);

/** What a Worker answers. */
export async function inWorker(contents) {
  const built = await esbuild.build({ stdin: { contents, resolveDir: matrix, loader: "ts" }, ...inMemory });
  const script = built.outputFiles[0].text;
  const worker = new Miniflare({ modules: true, script, compatibilityDate: "2026-01-01" });
  try {
    // Several at once, and again: what a module keeps of one request may not be usable in another.
    const ask = async () => (await worker.dispatchFetch("http://localhost/")).text();
    const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    return answers.find((answer) => answer !== answers[0]) ?? answers[0];
  } finally {
    await worker.dispose();
  }
}

/** The whole server in a Durable Object: the first process starts a run and is killed, the second one gets the answer. */
export async function pausedInWorkerd(folder) {
  const built = await esbuild.build({ entryPoints: [source("durable-object")], ...inMemory });
  const start = () =>
    new Miniflare({
      // As wrangler gives it: with `modules: true` miniflare would look for what the optional studio is imported from.
      modules: [{ type: "ESModule", path: "worker.mjs", contents: built.outputFiles[0].text }],
      compatibilityDate: "2026-01-01",
      durableObjects: { shop: { className: "Shop", useSQLite: true } },
      durableObjectsPersist: join(folder, "objects"),
    });
  const { handler_id: id, prompts } = await using(start(), (url) =>
    post(`${url}/workflows/shop/run`, { start_event: { lines: ["apples", "pears", "quinces"] } }),
  );
  const { status, result } = await using(start(), async (url) => {
    await post(`${url}/handlers/${id}/prompts/${prompts[0]?.prompt_id}`, { fields: { by: "Ada" } });
    return (await fetch(`${url}/handlers/${id}?wait=10000`)).json();
  });
  return status === "completed" ? JSON.stringify(result.value.result) : `the run is ${status}`;
}

/** `dispose` kills workerd. */
async function using(worker, ask) {
  try {
    return await ask(`${String(await worker.ready).replace(/\/$/, "")}/run`);
  } finally {
    await worker.dispose();
  }
}

/** What Next writes into an app that has none, and would write into ours. */
const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023", "ESNext.Decorators", "ESNext.Disposable", "DOM", "DOM.Iterable"],
  module: "ESNext",
  moduleResolution: "bundler",
  jsx: "react-jsx",
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  esModuleInterop: true,
  isolatedModules: true,
  resolveJsonModule: true,
  allowJs: true,
  incremental: true,
  allowImportingTsExtensions: true,
};

/** A production build of a Next app whose one route runs the workflow. */
export async function inNext(form, folder, options) {
  const route = `import { runShop } from "../../src/${form}.ts";
    export const dynamic = "force-dynamic";
    export const GET = async () => new Response(await runShop());`;
  const next = await buildNext(form, folder, { ...options, route });
  return during(next, async (url) => (await fetch(url)).text());
}

/**
 * One function over a SQLite file, which the build does not open: the first process starts a run and is killed, the second one gets the
 * answer.
 */
export async function pausedInNext(form, folder, options) {
  const route = `import { createHandler } from "@millrace/server";
    import { sqliteStore } from "@millrace/sqlite";
    import { makeShop } from "../../src/${form}.ts";
    const handler = createHandler(makeShop(), { name: "shop", store: () => sqliteStore("runs.db") });
    export const dynamic = "force-dynamic";
    export const GET = (request: Request) => handler(request);
    export const POST = (request: Request) => handler(request);`;
  const next = await buildNext(form, folder, { ...options, route });
  if (existsSync(join(folder, "runs.db"))) throw new Error("`next build` has opened the store");
  const asked = await during(next, (url) => post(url, { start_event: { lines: ["apples", "pears", "quinces"] } }));
  const { handler_id, prompts } = asked;
  const answer = { handler_id, prompt_id: prompts[0]?.prompt_id, fields: { by: "Ada" } };
  const { status, result } = await during(next, (url) => post(url, answer));
  return status === "completed" ? JSON.stringify(result.value.result) : `the run is ${status}`;
}

/** The whole server, mounted under a path of the app, and a page that makes its client while Next prerenders it. */
export async function servedInNext(form, folder, options) {
  const route = `import { createServer } from "@millrace/server";
    import { createRuntime } from "millrace/runtime";
    import { makeShop } from "../../../src/${form}.ts";
    const runtime = createRuntime({ workflows: { shop: makeShop() } });
    const app = createServer({ runtime, basePath: "/run" });
    export const dynamic = "force-dynamic";
    export const GET = app.fetch, POST = app.fetch;`;
  const page = `"use client";
    import { createClient } from "@millrace/client";
    const client = createClient({ baseUrl: "/run" });
    export default () => <p>Ask {typeof client.run}.</p>;`;
  const next = await buildNext(form, folder, { ...options, route, page, at: "app/run/[...path]/route.ts" });
  return during(next, async (url) => {
    const { handler_id: id, prompts } = await post(`${url}/workflows/shop/run`, {
      start_event: { lines: ["apples", "pears", "quinces"] },
    });
    await post(`${url}/handlers/${id}/prompts/${prompts[0]?.prompt_id}`, { fields: { by: "Ada" } });
    const { result } = await (await fetch(`${url}/handlers/${id}?wait=10000`)).json();
    return JSON.stringify(result.value.result);
  });
}

async function post(url, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`error ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Gives the folder and Next's program. */
async function buildNext(form, folder, options) {
  const { route, at = "app/run/route.ts", flags = [], experimentalDecorators = false } = options;
  const { page = "export default () => <p>Ask /run.</p>;" } = options;
  const files = {
    "app/layout.tsx":
      "export default ({ children }: { children: React.ReactNode }) => <html lang='en'><body>{children}</body></html>;",
    "app/page.tsx": page,
    [at]: route,
    "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(matrix)} } };`,
    "package.json": JSON.stringify({ private: true, type: "module" }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...compilerOptions, experimentalDecorators },
      include: ["app", "src"],
    }),
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (const name of ["shop", form]) cpSync(source(name), join(folder, "src", `${name}.ts`), { recursive: true });
  const next = join(matrix, "node_modules", "next", "dist", "bin", "next");
  await output(process.execPath, [next, "build", ...flags], { cwd: folder });
  return { program: next, folder };
}

/** What `ask` gives while `next start` runs. The process is gone before this resolves. */
async function during({ program, folder }, ask) {
  const port = await freePort();
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  const server = spawn(process.execPath, [program, "start", "--port", String(port)], {
    cwd: folder,
    env,
    stdio: "ignore",
  });
  const gone = new Promise((resolve) => server.on("exit", resolve));
  try {
    await whenListening(port);
    return await ask(`http://127.0.0.1:${port}/run`);
  } finally {
    server.kill("SIGKILL");
    await gone;
  }
}

async function whenListening(port) {
  for (let attempt = 0; attempt < 480; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    if (response) return;
  }
  throw new Error("the server did not answer within 120 s");
}
