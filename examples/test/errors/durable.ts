/** Codes of durable runs: the runtime, its records, and stores that fail. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { postgresStore } from "@millrace/postgres";
import { connect } from "@millrace/restate";
import { type SqliteDatabase, type SqliteDriver, sqliteStore } from "@millrace/sqlite";
import { type Context, defineWorkflow, HumanResponseEvent, StartEvent, StopEvent, step, Workflow } from "millrace";
import { type BudgetOptions, budgetOf, createRuntime, memoryStore, type RunStore, recordsOf } from "millrace/runtime";
import { expect, vi } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { type Provocations, type Provoked, thrown } from "./provoked.js";

class Answer extends HumanResponseEvent.define("Answer", {}) {}

const digest = defineWorkflow("digest")
  .step("read", { on: StartEvent, emits: StopEvent, waits: Answer }, async (ev, ctx) => {
    if (ev.get("waits")) await ctx.waitForEvent(Answer);
    if (ev.get("fails")) throw new Error("The dictionary is offline.");
    return new StopEvent({ result: "read" });
  })
  .build();

class Counter extends Workflow {
  @step({ on: StartEvent, emits: StopEvent })
  async count(_ev: StartEvent, ctx: Context) {
    await recordsOf(ctx).read("session", "s-17");
    return new StopEvent();
  }
}

const poster = defineWorkflow("poster")
  .step("draw", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    for (const part of ["sky", "sea", "ship"])
      await budgetOf(ctx).run(part, () => `a picture of the ${part}`, { cost: { usd: 0.04 } });
    return new StopEvent();
  })
  .build();

async function spending(budgets: BudgetOptions): Promise<Provoked> {
  const runtime = createRuntime({ workflows: { poster }, budgets, log: unread });
  try {
    return await thrown(() => runtime.run("poster", {}, { runId: "poster-7", tenant: "acme" }));
  } finally {
    await runtime.stop();
  }
}

const open = (store: RunStore = memoryStore(), options: object = {}) =>
  createRuntime({ workflows: { digest }, store, ...options });

const unread = { info: () => {}, error: () => {} };

/** How a first run fails on a store that takes no commit. The runtime reports it, too: it is what is provoked here. */
async function refused(store: RunStore, input: Record<string, unknown> = {}): Promise<Provoked> {
  const runtime = open(store, { log: unread });
  try {
    return await thrown(() => runtime.run("digest", input));
  } finally {
    await runtime.stop();
  }
}

/** The file of a store that holds one waiting run. */
async function filled(runId = "digest-2026-11"): Promise<string> {
  const file = join(temporaryFolder("errors-"), "runs.db");
  const runtime = open(sqliteStore(file));
  await runtime.run("digest", { waits: true }, { runId }).idle();
  await runtime.stop();
  return file;
}

/** What another program does to the file. */
function meddle(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** A driver whose databases get this pragma once they are open, as a full disk or a read-only mount would have it. */
function opening(pragma: string): SqliteDriver {
  return {
    open: (file) => {
      const database = new DatabaseSync(file);
      queueMicrotask(() => database.exec(pragma)); // before the first commit, which waits for the end of the turn
      return database as unknown as SqliteDatabase;
    },
  };
}

export const durable: Provocations = {
  BUDGET_EXCEEDED: [() => spending({ run: { usd: 0.1 } }), () => spending({ tenant: { usdPerDay: 0.1 } })],
  HISTORY_TRIMMED: [
    async () => {
      const runtime = open(memoryStore(), { history: { keep: 1 }, snapshotEvery: 1 });
      const run = runtime.run("digest", { waits: true }, { runId: "digest-2026-11" });
      await run.idle();
      await run.sendEvent(new Answer({}));
      await run;
      const seen = await thrown(() => runtime.stateAt("digest-2026-11", 1));
      await runtime.stop();
      return seen;
    },
  ],
  JOURNAL_CORRUPT: [
    async () => {
      const file = await filled();
      meddle(file, "DELETE FROM snapshots; UPDATE ticks SET text = substr(text, 1, 20)");
      const runtime = open(sqliteStore(file));
      const seen = await thrown(() => runtime.handle("digest-2026-11").sendEvent(new Answer({})));
      await runtime.stop();
      return seen;
    },
  ],
  RECORD_CONFLICT: [
    async () => {
      const runtime = open();
      const write = () => runtime.records.write([{ kind: "session", id: "s-17", expected: 0, value: {} }]);
      await write();
      const seen = await thrown(write);
      await runtime.stop();
      return seen;
    },
  ],
  RESTATE_UNSUPPORTED: [
    async () => {
      const runtime = connect({ workflows: { digest }, ingress: "http://localhost:8080" });
      const seen = await thrown(() => runtime.fork("order-17", { at: 12 }));
      await runtime.stop();
      return seen;
    },
  ],
  RUNTIME_REQUIRED: [() => thrown(() => new Counter().run())],
  RUNTIME_STOPPED: [
    async () => {
      const runtime = open();
      await runtime.stop();
      return thrown(() => runtime.run("digest", {}));
    },
  ],
  EXPORT_INVALID: [
    async () => {
      const runtime = open();
      await runtime.run("digest", { waits: true }, { runId: "order-7" }).idle();
      const parts: unknown[] = [];
      for await (const part of runtime.export("order-7")) parts.push(part);
      const seen = await thrown(() => runtime.import(parts.slice(0, 3)));
      await runtime.stop();
      return seen;
    },
  ],
  RUN_ID_CONFLICT: [
    async () => {
      const runtime = open();
      await runtime.run("digest", { day: "2026-11-20" }, { runId: "nightly" });
      const seen = await thrown(() => runtime.run("digest", { day: "2026-11-21" }, { runId: "nightly" }));
      await runtime.stop();
      return seen;
    },
  ],
  RUN_MOVED: [
    async () => {
      const runtime = open();
      await runtime.run("digest", { waits: true }, { runId: "order-7" }).idle();
      for await (const _ of runtime.export("order-7"));
      const seen = await thrown(() => runtime.handle("order-7").sendEvent(new Answer({})));
      await runtime.stop();
      return seen;
    },
  ],
  RUN_LEASE_LOST: [
    async () => {
      const store = memoryStore();
      const logged: unknown[] = [];
      let isAtWork = false;
      const slow = defineWorkflow("slow")
        .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, { signal }) => {
          isAtWork = true;
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return new StopEvent();
        })
        .build();
      const runtime = createRuntime({
        workflows: { slow },
        store,
        leaseMs: 300,
        log: { info: () => {}, error: (_message, error) => void logged.push(error) },
      });
      await runtime.start();
      const run = runtime.run("slow", {}, { runId: "digest-2026-11" });
      await run.accepted;
      await vi.waitFor(() => expect(isAtWork).toBe(true), { timeout: 30_000 });
      const key = { tenant: "", runId: "digest-2026-11" };
      const nowMs = Date.now() + 3_600_000;
      await store.claim(key, { owner: "another", nowMs, untilMs: nowMs + 3_600_000 });
      await vi.waitFor(() => expect(logged).toHaveLength(1), { timeout: 30_000 });
      await runtime.stop();
      return thrown(() => Promise.reject(logged[0]));
    },
  ],
  RUN_UNKNOWN: [
    async () => {
      const runtime = open();
      const seen = await thrown(() => runtime.handle("digest-2026-11", { tenant: "acme" }).idle());
      await runtime.stop();
      return seen;
    },
  ],
  SCHEDULE_UNKNOWN: [
    async () => {
      const runtime = open();
      const seen = await thrown(() => runtime.schedules.pause("nightly", { tenant: "acme" }));
      await runtime.stop();
      return seen;
    },
  ],
  STEP_FAILED: [
    async () => {
      const file = join(temporaryFolder("errors-"), "runs.db");
      const first = open(sqliteStore(file));
      await first.run("digest", { fails: true }, { runId: "one" }).idle();
      await first.stop();
      const second = open(sqliteStore(file));
      const seen = await thrown(() => second.handle("one"));
      await second.stop();
      return seen;
    },
  ],
  STORE_BUSY: [
    async () => {
      const file = await filled();
      const other = new DatabaseSync(file);
      const store = sqliteStore(file, { busyTimeoutMs: 10 });
      other.exec("BEGIN IMMEDIATE");
      const seen = await refused(store);
      other.exec("COMMIT");
      other.close();
      return seen;
    },
  ],
  STORE_CLOSED: [
    async () => {
      const store = sqliteStore(await filled());
      await store.close();
      return thrown(() => store.tenants());
    },
  ],
  STORE_CORRUPT: [
    () => {
      const file = join(temporaryFolder("errors-"), "runs.db");
      writeFileSync(file, "This is no database, but it is long enough to look at. ".repeat(100));
      return thrown(() => sqliteStore(file));
    },
  ],
  STORE_FAILED: [() => thrown(() => sqliteStore(join(temporaryFolder("errors-"), "data", "runs.db")))],
  STORE_FOREIGN: [
    () => {
      const file = join(temporaryFolder("errors-"), "app.db");
      meddle(file, "CREATE TABLE customers (name TEXT)");
      return thrown(() => sqliteStore(file));
    },
  ],
  STORE_FULL: [
    async () => {
      const file = await filled();
      const store = sqliteStore(file, { driver: opening("PRAGMA max_page_count = 1") });
      const value = "x".repeat(1_000_000);
      return refused(store, { value });
    },
  ],
  STORE_NEWER: [
    async () => {
      const file = await filled();
      meddle(file, "PRAGMA user_version = 99");
      return thrown(() => sqliteStore(file));
    },
  ],
  STORE_READ_ONLY: [
    async () => {
      const store = sqliteStore(await filled(), { driver: opening("PRAGMA query_only = ON") });
      return refused(store);
    },
  ],
  STORE_UNREACHABLE: [
    async () => {
      const store = postgresStore({ connectionString: "postgres://app@127.0.0.1:1/app", retryMs: 0 });
      return refused(store);
    },
  ],
  WORKFLOW_UNKNOWN: [
    async () => {
      const runtime = createRuntime({ workflows: { digest, review: digest } });
      const seen = await thrown(() => runtime.run("digst" as "digest", {}));
      await runtime.stop();
      return seen;
    },
  ],
};
