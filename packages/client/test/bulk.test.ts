/** One action on many runs, against a server in this process that loses the first answer to everything that changes something. */
import { createServer } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../src/index.js";

function open() {
  let isDown = true;
  const pay = defineWorkflow("pay")
    .step("pay", { on: StartEvent, emits: StopEvent }, () => {
      if (isDown) throw new Error("the bank is down");
      return new StopEvent({ result: "paid" });
    })
    .build();
  const runtime = createRuntime({ workflows: { pay }, log: { info: () => {}, error: () => {} } });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({ runtime });
  const isLossy = new Set<string>();
  const fetch = async (...request: ConstructorParameters<typeof Request>): Promise<Response> => {
    const asked = new Request(...request);
    const id = `${asked.method} ${asked.url}`;
    const answer = await app.fetch(asked);
    if (asked.method === "GET" || isLossy.has(id)) return answer;
    isLossy.add(id);
    throw new TypeError("the connection is lost");
  };
  const client = createClient({ baseUrl: "http://localhost", fetch, retry: { delayMs: 1 } });
  const fail = async (ids: readonly string[]): Promise<void> => {
    for (const runId of ids) await runtime.run("pay", {}, { runId, labels: { team: "berlin" } }).catch(() => {});
    isDown = false;
  };
  return { client, runtime, fail };
}

const where = { status: "failed", labels: { team: "berlin" } } as const;

it("counts the runs that match, acts on each once, and tells how far it is", async () => {
  const { client, runtime, fail } = open();
  await fail(["a", "b", "c"]);
  expect(await client.matching({ action: "retry", where })).toEqual({ count: 3, isAll: true });
  expect(await client.matching({ action: "retry", where, most: 2 })).toEqual({ count: 2, isAll: false });

  const job = client.bulk({ action: "retry", where });

  expect(await job).toMatchObject({ action: "retry", matched: 3, done: 3, skipped: 0, failed: 0, problems: [] });
  const seen: unknown[] = [];
  for await (const { event } of job.stream()) if (event.type === "millrace.bulk.progress") seen.push(event["done"]);
  expect(seen).toEqual([0, 3]);
  expect((await client.runs({ workflow: "millrace.bulk" })).runs).toHaveLength(1); // the lost answer started no second one
  for (const runId of ["a", "b", "c"]) expect(await runtime.handle(runId)).toBe("paid");
});

it("acts on runs that are named", async () => {
  const { client, fail } = open();
  await fail(["a", "b"]);
  const result = await client.bulk({ action: "delete", handlerIds: ["b", "x"] });
  expect(result).toMatchObject({ done: 1, skipped: 1, codes: { RUN_UNKNOWN: 1 } });
  expect((await client.runs({ workflow: "pay" })).runs.map(({ handlerId }) => handlerId)).toEqual(["a"]);
});

it("resumes what a job has cancelled", async () => {
  const { client, runtime } = open();
  for (const runId of ["a", "b"]) {
    const run = runtime.run("pay", {}, { runId, startAt: Date.now() + 3_600_000 });
    await run.accepted;
  }
  expect(await client.bulk({ action: "cancel", where: { workflow: "pay" }, handlerId: "job" })).toMatchObject({
    done: 2,
  });

  expect(await client.matching({ action: "resume", cancelledBy: "job" })).toEqual({ count: 2, isAll: true });
  expect(await client.bulk({ action: "resume", cancelledBy: "job" })).toMatchObject({ matched: 2, done: 2 });
  expect(await client.matching({ action: "resume", cancelledBy: "job" })).toEqual({ count: 0, isAll: true });
});

it("refuses what is wrong before it asks the server, and the server refuses the rest", async () => {
  const { client, fail } = open();
  await fail(["a"]);
  expect(() => client.bulk({ action: "retry", where: { stats: "failed" } as never })).toThrow(
    "`stats` is not an option",
  );
  expect(() => client.bulk({ where } as never)).toThrow("`action`");
  await expect(client.bulk({ action: "delete", where: {} })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  expect(await client.bulk({ action: "delete", where: { workflow: [] } })).toMatchObject({ matched: 0 });
  expect((await client.runs({ workflow: "pay" })).runs).toHaveLength(1);
});
