/** Records in a store beside Restate: what steps write, sessions of pipelines, schedules and starts that count once. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@millrace/client";
import { Pipeline, type SessionRecord, Step } from "@millrace/pipeline";
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { memoryStore, type RunStore } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../src/index.js";
import type * as Flows from "./support/flows.js";
import { serveHost } from "./support/host.js";
import { linesOf } from "./support/lines.js";
import { type Restate, startRestate } from "./support/restate.js";

let restate: Restate;
let flows: typeof Flows;

beforeAll(async () => {
  flows = await import("./support/flows.js"); // behind the file of effects
  restate = await startRestate();
});
afterAll(() => restate?.[Symbol.asyncDispose]());

/** The store, with one of its methods replaced. */
function withWrites(store: RunStore, writeRecords: RunStore["writeRecords"]): RunStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === "writeRecords") return writeRecords;
      const member: unknown = target[name as keyof RunStore];
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describe("a record that a step writes", () => {
  it("is written once where the answer of the store was lost", async () => {
    const store = memoryStore();
    let lost = 0;
    const records = withWrites(store, async (writes) => {
      const conflicts = await store.writeRecords(writes);
      if (writes.some(({ kind }) => kind === "counter") && lost++ === 0) throw new Error("The connection was lost.");
      return conflicts;
    });
    await using served = await serveHost(restate, { counting: flows.counting }, { records });

    expect(await served.runtime.run("counting", { x: 1 }, { runId: "lost" })).toBe(1);

    expect(lost).toBe(2);
    expect(await served.runtime.records.read("counter", "lost")).toMatchObject({ version: 1, value: 1 });
    expect(linesOf("count", "lost")).toHaveLength(1);
  });

  it("lets the step run again where another writer was faster, also where that answer was lost", async () => {
    const store = memoryStore();
    let tries = 0;
    const records = withWrites(store, async (writes) => {
      const isCounter = writes.some(({ kind }) => kind === "counter");
      const other = { tenant: "", kind: "counter", id: "raced", expected: 0, text: '{"json":10}' };
      if (isCounter && tries++ === 0) await store.writeRecords([other]);
      const conflicts = await store.writeRecords(writes);
      if (!isCounter && tries === 1) {
        tries++;
        throw new Error("The connection was lost.");
      }
      return conflicts;
    });
    await using served = await serveHost(restate, { counting: flows.counting }, { records });

    expect(await served.runtime.run("counting", { x: 1 }, { runId: "raced" })).toBe(11);

    expect(await served.runtime.records.read("counter", "raced")).toMatchObject({ version: 2, value: 11 });
    expect(linesOf("count", "raced")).toHaveLength(2);
  });

  it("is written from slices, too, and its mark goes with the run", async () => {
    const records = memoryStore();
    const options = { records, isRequestResponse: true, mode: "slices" } as const;
    await using served = await serveHost(restate, { counting: flows.counting }, options);

    expect(await served.runtime.run("counting", { x: 3 }, { runId: "sliced" })).toBe(3);
    const marks = () => records.records({ tenant: "", kind: "millrace:restate", limit: 10 });
    expect((await marks()).records).toHaveLength(1);
    await served.runtime.delete("sliced");

    expect((await marks()).records).toEqual([]);
    expect(await served.runtime.records.read("counter", "sliced")).toMatchObject({ value: 3 });
  });
});

describe("a pipeline", () => {
  const shopping = new Pipeline({
    name: "Shopping",
    sessionState: { list: [] },
    steps: [
      ({ input }, { sessionState }) => {
        (sessionState["list"] as unknown[]).push(input);
        return `added ${String(input)}`;
      },
      new Step({
        name: "buy",
        executor: ({ previousStepContent }) => `${String(previousStepContent)}, and bought it`,
        humanReview: { requiresConfirmation: true },
      }),
    ],
  });
  const workflows = { shopping: shopping.workflow };

  it("has a session that its runs share, and asks people, over a server and its client", async () => {
    await using served = await serveHost(restate, workflows, { records: memoryStore() });
    const app = createServer({ runtime: served.runtime as never, log: { info: () => {}, error: () => {} } });
    const fetch = async (...request: ConstructorParameters<typeof Request>) => app.fetch(new Request(...request));
    const client = createClient<typeof workflows>({ baseUrl: "http://localhost", fetch });
    const confirm = { decision: { decision: "confirm" } } as never;

    const first = client.run("shopping", { input: "milk", session_id: "s" } as never, { handlerId: "one" });
    const second = client.run("shopping", { input: "tea", session_id: "s" } as never, { handlerId: "two" });
    for (const run of [first, second]) {
      const paused = await run.idle();
      const [prompt] = paused.status === "waiting" ? paused.prompts : [];
      await run.answer(prompt?.promptId ?? "", confirm);
    }

    expect(JSON.stringify(await first)).toContain("added milk, and bought it");
    expect(JSON.stringify(await second)).toContain("added tea, and bought it");
    const session = (await served.runtime.records.read("session", "s"))?.value as SessionRecord;
    expect(session.runs.map(({ runId }) => runId).sort()).toEqual(["one", "two"]);
    expect([...(session.state["list"] as string[])].sort()).toEqual(["milk", "tea"]);
    const all = await sequences(first.stream());
    expect(all.length).toBeGreaterThan(3);
    expect(await sequences(first.stream({ after: all[1] as number }))).toEqual(all.slice(2));

    const third = client.run("shopping", { input: "bread", session_id: "s" } as never, { handlerId: "three" });
    await third.idle();
    await third.cancel();
    await expect(third).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    const listed = await served.runtime.runs({ labels: { session: "s" } });
    expect(listed.runs.map(({ runId, status }) => `${runId} ${status}`).sort()).toEqual([
      "one completed",
      "three cancelled",
      "two completed",
    ]);
  });
});

async function sequences(stream: AsyncIterable<{ readonly sequence: number }>): Promise<number[]> {
  const found = [];
  for await (const { sequence } of stream) found.push(sequence);
  return found;
}

describe("starts", () => {
  it("count once for a key", async () => {
    await using served = await serveHost(restate, { chain: flows.chain }, { records: memoryStore() });
    const { runtime } = served;
    const tenant = "deduped";
    const first = { key: "one", for: "1m" } as const;
    const firsts = [1, 2, 3].map((x) => runtime.run("chain", { x }, { dedupe: first, tenant }));
    expect(new Set(await Promise.all(firsts)).size).toBe(1);
    expect((await runtime.runs({ tenant })).runs.length).toBe(1);
  });

  it("are made by another client where the first could not tell Restate", async () => {
    const records = memoryStore();
    await using served = await serveHost(restate, { chain: flows.chain }, { records });
    const cut: typeof globalThis.fetch = (url, init) =>
      String(url).endsWith("/start") ? Promise.reject(new Error("The network is gone.")) : fetch(url, init);
    const { ingress } = restate;
    const log = { info: () => {}, error: () => {} };
    const dying = connect({ workflows: { chain: flows.chain }, ingress, records, fetch: cut, log });
    const run = dying.run("chain", { x: 1 }, { dedupe: { key: "cut", for: "1m" } });
    await run.accepted;
    expect(await run.summary()).toMatchObject({ status: "running", ticks: 0 });
    await dying.stop({ drainMs: 0 });

    expect(await served.runtime.handle(run.runId)).toBe(4);
    await expect.poll(async () => (await records.records({ ...starting, limit: 1 })).records).toEqual([]);
  });

  const starting = { tenant: "", kind: "millrace:starting" };
});

describe("schedules", () => {
  it("start every occurrence once over two client processes, and go on when one of them is killed", async () => {
    await using file = temporaryRecords();
    await using served = await serveHost(restate, { chain: flows.chain }, { records: file.records });
    using one = startClient(file.path);
    using _other = startClient(file.path);
    const tenant = "calendar";

    const everySecond = { cron: "* * * * * *", overlap: "allow", catchUp: "all" } as const;
    await served.runtime.schedules.set("often", { workflow: "chain", input: { x: 1 }, tenant, ...everySecond });
    const startedAtMs = async (): Promise<number[]> => {
      const { runs } = await served.runtime.runs({ tenant, status: "completed", limit: 100 });
      return runs
        .map(({ labels, runId }) => (labels["schedule"] === "often" ? Date.parse(runId.slice(6)) : 0))
        .sort((a, b) => a - b);
    };
    const count = async (): Promise<number> => (await startedAtMs()).length;
    await expect.poll(count).toBeGreaterThan(2);
    one.kill();
    await expect.poll(count).toBeGreaterThan((await count()) + 2);
    await served.runtime.schedules.delete("often", { tenant });

    const otherGaps = async (): Promise<number[]> => {
      const times = await startedAtMs();
      return times.slice(1).flatMap((atMs, index) => (atMs - (times[index] as number) === 1_000 ? [] : [index]));
    };
    await expect.poll(otherGaps).toEqual([]); // a run may end after one that began later
  });

  /** Killed at the latest when the test is over. */
  function startClient(path: string): Disposable & { kill(): void } {
    const child = (name: string): string => fileURLToPath(new URL(`child/${name}`, import.meta.url));
    const args = ["--import", child("source.mjs"), child("client.ts")];
    const env = { ...process.env, RECORDS: path, INGRESS: restate.ingress };
    const client = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
    const kill = (): void => void client.kill("SIGKILL");
    return { kill, [Symbol.dispose]: kill };
  }
});

function temporaryRecords(): AsyncDisposable & { readonly path: string; readonly records: RunStore } {
  const folder = mkdtempSync(join(tmpdir(), "millrace-records-"));
  const path = join(folder, "records.db");
  const records = sqliteStore(path);
  return {
    path,
    records,
    async [Symbol.asyncDispose]() {
      await records.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
