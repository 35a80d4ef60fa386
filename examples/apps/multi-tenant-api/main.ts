import { serve } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { createApi } from "./app.js";

const { runtime, app } = createApi(sqliteStore("runs.db"), [
  { token: process.env["ACME_TOKEN"] ?? "only-for-development-acme", tenant: "acme", user: "ada", role: "clerk" },
  {
    token: process.env["ACME_BOSS_TOKEN"] ?? "only-for-development-boss",
    tenant: "acme",
    user: "bob",
    role: "approver",
  },
]);
await runtime.start();
serve({ fetch: app.fetch, port: 3000, hostname: "127.0.0.1" });
console.log("http://localhost:3000/docs");
