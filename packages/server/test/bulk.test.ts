/** One action on many runs, over HTTP. */
import { createRuntime, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { bearerAuth, createServer } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

const tokens = [
  { token: "all", user: "ada" },
  { token: "other", tenant: "other" },
  { token: "refunds", may: { refund: ["read", "operate"], add: ["read"], "millrace.bulk": ["read"] } },
  { token: "reader", may: ["read"] },
] as const;

function open() {
  const log = { info: () => {}, error: () => {} };
  const runtime = createRuntime({ workflows, log }) as unknown as Runtime;
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({ runtime, log, auth: bearerAuth({ tokens: tokens as never }) });
  const ask = async (method: string, path: string, body?: object, more: object = {}): Promise<Json> => {
    const { token = "all", ...headers } = more as Record<string, string>;
    const response = await app.request(path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const refunds = async (ids: readonly string[], more: object = {}): Promise<void> => {
    for (const handler_id of ids) {
      await ask("POST", "/workflows/refund/run-nowait", { handler_id, labels: { team: "berlin" } }, more);
      await runtime.handle(handler_id, { tenant: more === otherTenant ? "other" : "" }).idle();
    }
  };
  const result = async (started: Json): Promise<Json> =>
    (await ask("GET", `/handlers/${started.body.handler_id}?wait=5000`)).body.result.value.result;
  return { ask, refunds, result, runtime };
}

const otherTenant = { token: "other" };

describe("POST /handlers/bulk", () => {
  it("acts on the runs that `GET /handlers/matching` has counted, and says who did it", async () => {
    const { ask, refunds, result } = open();
    await refunds(["r-1", "r-2", "r-3"]);
    await refunds(["o-1"], otherTenant);
    const matching = await ask("GET", "/handlers/matching?action=cancel&status=waiting&label=team=berlin");
    expect(matching.body).toEqual({ count: 3, all: true });
    expect((await ask("GET", "/handlers/matching?action=cancel&status=waiting&most=2")).body).toEqual({
      ...{ count: 2, all: false },
    });
    expect((await ask("GET", "/handlers/matching?action=retry&status=waiting")).body).toMatchObject({ count: 0 });

    const started = await ask("POST", "/handlers/bulk?status=waiting&label=team=berlin", { action: "cancel" });

    expect(started).toMatchObject({ status: 200, body: { workflow_name: "millrace.bulk" } });
    expect(await result(started)).toMatchObject({ matched: 3, done: 3, skipped: 0, failed: 0 });
    expect((await ask("GET", "/handlers?status=cancelled")).body.handlers).toHaveLength(3);
    expect((await ask("GET", "/handlers?status=cancelled", undefined, otherTenant)).body.handlers).toEqual([]);
    const { entries } = (await ask("GET", "/audit?action=cancel")).body;
    expect(entries.map(({ by }: Json) => by)).toEqual(Array(3).fill({ user: "ada", door: "http" }));
  });

  it("resumes what a job has cancelled", async () => {
    const { ask, refunds, result } = open();
    await refunds(["r-1", "r-2", "r-3"]);
    await ask("POST", "/handlers/r-3/cancel");
    const cancel = await ask("POST", "/handlers/bulk?label=team=berlin", { action: "cancel", handler_id: "job" });
    expect(await result(cancel)).toMatchObject({ done: 2 });

    const matching = "/handlers/matching?action=resume&cancelled_by=job";
    expect((await ask("GET", matching)).body).toEqual({ count: 2, all: true });
    expect((await ask("GET", `${matching}&status=cancelled`)).body).toMatchObject({ code: "OPTION_INVALID" });
    expect((await ask("GET", "/handlers/matching?action=resume&cancelled_by=r-1")).status).toBe(400);
    const undo = await ask("POST", "/handlers/bulk", { action: "resume", cancelled_by: "job" });
    expect(await result(undo)).toMatchObject({ action: "resume", matched: 2, done: 2 });
    expect((await ask("GET", "/handlers?status=cancelled")).body.handlers).toMatchObject([{ handler_id: "r-3" }]);
    for (const body of [
      { action: "resume", cancelled_by: "job", handler_ids: ["r-1"] },
      { action: "retry", cancelled_by: "job" },
    ])
      expect(await ask("POST", "/handlers/bulk", body)).toMatchObject({
        status: 400,
        body: { code: "OPTION_INVALID" },
      });
  });

  it("acts on runs that are named", async () => {
    const { ask, refunds, result } = open();
    await refunds(["r-1", "r-2"]);
    const body = { action: "cancel", handler_ids: ["r-2", "r-9"], reason: "no stock" };
    expect(await result(await ask("POST", "/handlers/bulk", body))).toMatchObject({
      ...{ done: 1, skipped: 1, codes: { RUN_UNKNOWN: 1 } },
    });
    expect((await ask("GET", "/handlers/r-2")).body.error).toBe("The run was cancelled: no stock.");
    expect((await ask("GET", "/handlers/r-1")).body.status).toBe("running");
  });

  it("is done once for each key", async () => {
    const { ask, refunds } = open();
    await refunds(["r-1"]);
    const again = () => ask("POST", "/handlers/bulk?status=waiting", { action: "cancel" }, { "idempotency-key": "k" });
    const [one, two] = [await again(), await again()];
    expect(two.body.handler_id).toBe(one.body.handler_id);
  });

  it("leaves out the workflows of which a caller has no right", async () => {
    const { ask, refunds, result } = open();
    await refunds(["r-1"]);
    await ask("POST", "/workflows/add/run", { handler_id: "a-1", kwargs: { left: 1 } });
    const limited = { token: "refunds" };
    const matching = await ask(
      "GET",
      "/handlers/matching?action=delete&created_after=2020-01-01T00:00:00Z",
      undefined,
      limited,
    );
    expect(matching.body).toEqual({ count: 1, all: true });
    const named = await ask("POST", "/handlers/bulk", { action: "delete", handler_ids: ["a-1"] }, limited);
    expect(named).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    const job = await ask("POST", "/handlers/bulk?created_after=2020-01-01T00:00:00Z", { action: "delete" }, limited);
    expect(await result(job)).toMatchObject({ matched: 1, done: 1 });
    expect((await ask("GET", "/handlers/a-1")).status).toBe(200);
    const answer = await ask("POST", "/handlers/bulk?status=waiting", { action: "answer" }, limited);
    expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    const reader = await ask("POST", "/handlers/bulk?status=waiting", { action: "cancel" }, { token: "reader" });
    expect(reader.status).toBe(403);
  });

  it.each([
    ["", { action: "cancel" }],
    ["?status=waiting", { action: "stop" }],
    ["?status=waiting", { action: "cancel", handler_ids: ["a"] }],
    ["?status=nonsense", { action: "cancel" }],
    ["?status=waiting", { action: "cancel", per_second: 0 }],
    ["?status=waiting", { action: "cancel", fields: {} }],
    ["?status=waiting", { action: "cancel", where: "all" }],
    ["?status=waiting&limit=3", { action: "cancel" }],
    ["?status=waiting&worfklow_name=add", { action: "cancel" }],
  ])("refuses %j %j", async (query, body) => {
    const { ask, refunds } = open();
    await refunds(["r-1"]);
    expect((await ask("POST", `/handlers/bulk${query}`, body)).status).toBe(400);
    expect((await ask("GET", "/handlers/r-1")).body.status).toBe("running");
  });

  it("cannot be started as a workflow", async () => {
    const { ask } = open();
    const started = await ask("POST", "/workflows/millrace.bulk/run-nowait", { kwargs: { request: {} } });
    expect(started).toMatchObject({ status: 404, body: { code: "WORKFLOW_UNKNOWN" } });
    expect((await ask("GET", "/workflows")).body.workflows).not.toContain("millrace.bulk");
  });
});
