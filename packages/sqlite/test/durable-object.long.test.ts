import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runStoreSuite } from "@millrace/conformance";
import type { RunStore } from "millrace/runtime";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { temporaryDirectory } from "./files.js";
import { bundleWorker, remoteStore, startWorker } from "./object-worker.js";
import { creationOf, keyOf, ticksOf } from "./runs.js";

let script: string;
let worker: Miniflare;
let folder: string;
beforeAll(async () => {
  // Miniflare takes its files away without anybody being able to wait for it: often the process has ended before.
  folder = mkdtempSync(join(tmpdir(), "millrace-workerd-"));
  for (const name of ["TMPDIR", "TEMP", "TMP"]) vi.stubEnv(name, folder);
  script = await bundleWorker();
  worker = startWorker(script);
  await worker.ready;
});
afterAll(async () => {
  await worker.dispose();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

runStoreSuite("durableObjectStore", async () => {
  const object = randomUUID();
  const stores: RunStore[] = [];
  const open = async () => {
    const store = remoteStore(worker, object, stores.length);
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    dispose: async () => {
      for (const store of stores) await store.close();
    },
  };
});

/** The JSON of an answer. */
async function ask(of: Miniflare, path: string, body?: string): Promise<unknown> {
  const response = await of.dispatchFetch(`http://object${path}`, body === undefined ? {} : { method: "POST", body });
  return response.json();
}

describe("a runtime in a Durable Object", () => {
  it("asks in one process of workerd, and goes on with the answer in the next", async () => {
    const folder = temporaryDirectory();
    const first = startWorker(script, folder);
    const ids = ["one", "two", "three", "four", "five"];
    const asked = await Promise.all(ids.map((id) => ask(first, `/start/${id}`)));
    await first.dispose();
    expect(asked).toEqual(ids.map(() => expect.objectContaining({ status: "waiting" })));

    const second = startWorker(script, folder);
    const answered = await Promise.all(ids.map((id) => ask(second, `/answer/${id}/garden`)));
    const events = await ask(second, "/events/three");
    const history = (await ask(second, "/history/three")) as { readonly tick: { readonly type: string } }[];
    await second.dispose();

    const result = { room: "garden", bookings: 1 };
    expect(answered).toEqual(ids.map(() => ({ receipt: expect.objectContaining({ status: "accepted" }), result })));
    expect(events).toMatchObject([
      { sequence: 0, event: { rooms: ["attic", "garden"] }, promptId: "three:2" },
      { sequence: 1, event: { step: "book" } },
      { sequence: 2, event: { result } },
    ]);
    const types = history.map(({ tick }) => tick.type);
    expect(types.slice(0, 3)).toEqual(["run.started", "effect.recorded", "wait.opened"]);
    expect(types.slice(-2)).toEqual(["state.edited", "step.completed"]);
    // Whether the step has asked again when the answer comes, the first time of all is what counts.
    expect(types.filter((type) => type === "event.received")).toHaveLength(1);
    expect(types.filter((type) => type === "effect.recorded")).toHaveLength(1);
  });

  it("takes over at once what the object held before it was started again", async () => {
    const folder = temporaryDirectory();
    const first = startWorker(script, folder);
    const hour = { owner: "ann", nowMs: 1_000, untilMs: 3_600_000 };
    const before = remoteStore(first, "object", 1);
    await before.commit([creationOf("run", "ann", { lease: hour })]);
    expect(await before.claim(keyOf("run"), { ...hour, owner: "bob" })).toBeNull();
    await first.dispose();

    const second = startWorker(script, folder);
    const after = remoteStore(second, "object", 1);
    const [claimed] = await after.claimDue({ ...hour, owner: "bob", limit: 10 });
    await second.dispose();

    expect(claimed?.run).toMatchObject({ key: keyOf("run"), epoch: 2, lease: { owner: "bob" } });
  });
});

describe("the storage of a Durable Object", () => {
  const storeOf = (object: string) => remoteStore(worker, object, 1);

  it("keeps nothing of a group of commits of which one cannot be stored", async () => {
    const store = storeOf("too-big");
    const [run] = await store.commit([creationOf("run", "ann")]);
    expect(run?.status).toBe("stored");
    const held = { key: keyOf("run"), owner: "ann", epoch: 1 };
    const big = { ...ticksOf(2), text: "x".repeat(3_000_000) };

    const failing = store.commit([{ ...held, ticks: ticksOf(1) }, creationOf("other", null), { ...held, ticks: big }]);

    await expect(failing).rejects.toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("2 MB") });
    expect(await store.ticks(held.key, { after: 0, limit: 10 })).toEqual([]);
    expect(await store.run(keyOf("other"))).toBeNull();
    const results = await store.commit([{ ...held, ticks: ticksOf(1) }]);
    expect(results).toEqual([{ status: "stored" }]);
  });

  it("is shared with tables of the object, unless they have a name that the store needs", async () => {
    await worker.dispatchFetch("http://shared/sql", { method: "POST", body: "CREATE TABLE guests (name TEXT)" });
    expect(await storeOf("shared").tenants()).toEqual([]);

    await worker.dispatchFetch("http://taken/sql", { method: "POST", body: "CREATE TABLE events (name TEXT)" });
    await expect(storeOf("taken").tenants()).rejects.toMatchObject({ code: "STORE_FOREIGN" });
  });

  it("is not opened by a version that is older than the tables", async () => {
    await storeOf("newer").tenants();
    await worker.dispatchFetch("http://newer/sql", { method: "POST", body: "UPDATE millrace SET version = 99" });

    await expect(remoteStore(worker, "newer", 2).tenants()).rejects.toMatchObject({ code: "STORE_NEWER" });
  });
});
