/** A server with the studio over a SQLite file: `server.ts <file> <port> [signed] [read-only] [sources] [operated]`. Prints its port. */
import { serve } from "@hono/node-server";
import { type BearerToken, bearerAuth, createServer, type RunTests } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { studioFile } from "@millrace/studio";
import { createRuntime, type Runtime } from "millrace/runtime";
import { redacted } from "millrace/wire";
import { archivePipeline, articlePipeline, gates, reportPipeline, workflows } from "./workflows.js";

/** Longer than a machine stalls. The next process need not wait for the end of it. */
const LEASE_MS = 10_000;
/** Longer than any test: the server would close a connection just when the next request is sent on it. */
const serverOptions = { keepAliveTimeout: 300_000 };

const [file = "", port = "0", ...words] = process.argv.slice(2);
const store = sqliteStore(file, { durability: "process" });
const article = articlePipeline(store).workflow;
const archive = archivePipeline(store).workflow;
const report = reportPipeline(store).workflow;
const runtime = createRuntime({
  workflows: { ...workflows, article, archive, report },
  store,
  leaseMs: words.includes("operated") ? 1_500 : LEASE_MS,
  version: "1.5.0",
  ...(words.includes("operated") && {
    budgets: { run: { usd: 0.5, calls: 40 }, tenant: { usdPerDay: 2, timezone: "Europe/Berlin" } },
    queues: { mail: { concurrency: 1 }, llm: { concurrency: 8, perKey: { concurrency: 1 } } },
  }),
}) as unknown as Runtime;
await runtime.start();
if (words.includes("operated")) {
  const refund = { workflow: "refund", input: { order: "N-1" } } as const;
  await runtime.schedules.set("nightly", { cron: "0 3 * * *", timezone: "Europe/Berlin", ...refund });
  await runtime.schedules.set("often", { cron: "*/5 * * * *", overlap: "queue", ...refund });
}

const tokens: BearerToken[] = [
  { token: "acme-token", tenant: "acme", user: "ada" },
  { token: "reader-token", tenant: "acme", user: "rita", may: ["read"] },
];
const sources = {
  read: async (_: unknown, step: string) =>
    step === "check" ? { file: "flows/refund.ts", line: 12, text: "async check() {\n  // <b>\n}" } : null,
};
/** As `millrace dev` makes them, of the ticks alone. */
const tests: RunTests = {
  make: async ({ runtime: of, runId, tenant, redact }) => {
    const ticks: unknown[] = [];
    for await (const { tick } of of.history(runId, { raw: true, tenant })) ticks.push(tick);
    const text = `${JSON.stringify(redacted({ runId, ticks }, redact))}\n`;
    const test = `import { it } from "vitest";\n\nit("ends as the run ${runId} did", async () => {\n  // <b>\n});\n`;
    return {
      recording: { path: `test/${runId}.run.json`, text },
      test: { path: `test/${runId}.test.ts`, text: test },
    };
  },
};
const app = createServer({
  runtime,
  studio: studioFile,
  internalEvents: ["digest"],
  callOverrides: true,
  readOnly: words.includes("read-only"),
  ...(words.includes("operated") && {
    queueOf: ({ queue, queueKey }) => (queue === null ? null : { queue, queueKey }),
  }),
  ...(words.includes("sources") && { sources, tests }),
  ...(words.includes("signed") && { auth: bearerAuth({ tokens }) }),
});
const fetch = (request: Request): Response | Promise<Response> => {
  const [, gate, action, name = ""] = new URL(request.url).pathname.split("/");
  if (gate !== "gate") return app.fetch(request);
  if (action === "close") gates.close(name);
  else gates.open(name);
  return new Response(null, { status: 204 });
};
serve({ fetch, port: Number(port), hostname: "127.0.0.1", serverOptions }, (address) => console.log(address.port));
