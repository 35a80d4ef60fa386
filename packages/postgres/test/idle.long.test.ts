/** What processes ask of the server while nothing happens. */
import { setTimeout as sleep } from "node:timers/promises";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RuntimeOptions } from "millrace/runtime";
import pg from "pg";
import { expect, it } from "vitest";
import { postgresStore } from "../src/index.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

const flow = defineWorkflow("flow")
  .step("begin", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
  .build();

/** Of two rounds: leases are renewed every ten seconds. */
const seconds = 20;

/** A pool that counts what goes to the server. */
class CountingPool extends pg.Pool {
  readonly statements: string[] = [];

  override connect(): Promise<pg.PoolClient>;
  override connect(callback?: never): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) return super.connect(callback) as never;
    return super.connect().then((client) => {
      const counted = Object.create(client) as pg.PoolClient;
      counted.query = ((query: { readonly text: string }) => {
        this.statements.push(query.text);
        return client.query(query);
      }) as never;
      return counted;
    });
  }
}

interface Setting {
  readonly listen: string | false;
  readonly queues?: RuntimeOptions<{ flow: typeof flow }>["queues"];
}

const one = { mail: { concurrency: 2 } };
const rated = {
  mail: { concurrency: 2, rate: { limit: 10, per: "1m" } },
  calls: { perKey: { concurrency: 1 } },
} as const;
/** Statements a second that a process may need, whether it listens or looks every 2.5 seconds. */
const bound = 1;

const settings: { readonly [name: string]: Setting } = {
  "that listen, without a queue": { listen: databaseUrl },
  "that listen, with a queue": { listen: databaseUrl, queues: one },
  "that listen, with queues of every limit": { listen: databaseUrl, queues: rated },
  "that look, without a queue": { listen: false },
  "that look, with a queue": { listen: false, queues: one },
  "that look, with queues of every limit": { listen: false, queues: rated },
};

/** Statements a second of each of so many idle processes. */
async function idleRate({ listen, queues }: Setting, processes: number): Promise<number> {
  await using schema = new TestSchema();
  const pool = new CountingPool({ connectionString: databaseUrl, max: processes });
  const runtimes = Array.from({ length: processes }, () => {
    const store = postgresStore({ pool, listen, schema: schema.name });
    return createRuntime({ workflows: { flow }, store, ...(queues === undefined ? {} : { queues }) });
  });
  for (const runtime of runtimes) await runtime.start();
  await runtimes[0]?.run("flow", {}, queues === undefined ? {} : { queue: "mail" });
  await sleep(12_000);
  pool.statements.length = 0;
  await sleep(seconds * 1_000);
  const count = pool.statements.length;
  for (const runtime of runtimes) await runtime.stop({ drainMs: 0 });
  await pool.end();
  return count / seconds / processes;
}

it("idle processes ask for little, and for no more beside others", {
  timeout: 120_000,
}, async () => {
  const measured = await Promise.all(
    Object.entries(settings).map(async ([name, setting]) => {
      const [alone, together] = await Promise.all([idleRate(setting, 1), idleRate(setting, 4)]);
      return { name, alone, together };
    }),
  );

  for (const { name, alone, together } of measured) {
    expect(together, name).toBeLessThanOrEqual(bound);
    // A round more may fall into the time of some of them, and those that do not listen look after a heartbeat of another.
    expect(together, name).toBeLessThanOrEqual(alone + 0.5);
  }
});
