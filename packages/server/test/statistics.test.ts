/** What has ended, over HTTP, and who may see it. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type Runtime } from "millrace/runtime";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { bearerAuth, createServer, type Rights } from "../src/index.js";

class Order extends StartEvent.define("Order", { fails: z.string().optional() }) {}

const flow = (name: string) =>
  defineWorkflow(name)
    .step("charge", { on: Order, emits: StopEvent }, ({ fails }) => {
      if (fails !== undefined) throw new Error(fails);
      return new StopEvent({ result: "ok" });
    })
    .build();

const tokens: { token: string; tenant: string; may?: Rights }[] = [
  { token: "ada", tenant: "red" },
  { token: "blue", tenant: "blue" },
  { token: "orders", tenant: "red", may: { order: ["read"] } },
  { token: "none", tenant: "red", may: { order: ["start"] } },
];

let runtime: Runtime;
let app: ReturnType<typeof createServer>;
beforeEach(async () => {
  runtime = createRuntime({ workflows: { order: flow("order"), refund: flow("refund") } }) as unknown as Runtime;
  app = createServer({ runtime, auth: bearerAuth({ tokens }) });
  onTestFinished(() => runtime.stop());
  for (const [name, fails] of [
    ["order", "card 1 at /srv/app/x.js declined"],
    ["order", "card 2 at /srv/app/x.js declined"],
    ["order"],
    ["refund"],
  ])
    await runtime.run(name as string, fails === undefined ? {} : { fails }, { tenant: "red" }).then(
      () => {},
      () => {},
    );
});

// biome-ignore lint/suspicious/noExplicitAny: bodies of all routes.
async function ask(token: string, path: string): Promise<any> {
  const response = await app.request(path, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, ...((await response.json()) as object) };
}

describe("GET /statistics", () => {
  it("has the figures of each workflow, and the steps of one", async () => {
    const { workflows, period_ms } = await ask("ada", "/statistics");
    expect(workflows).toMatchObject([
      { workflow_name: "order", count: 3, failed: 2, steps: [] },
      { workflow_name: "refund", count: 1, failed: 0, failure_rate: 0 },
    ]);
    expect(period_ms).toBe(3_600_000);
    const one = await ask("ada", "/statistics?workflow_name=order&by=version");
    expect(one.workflows).toMatchObject([{ version: null, steps: [{ step: "charge", count: 3, failed: 2 }] }]);
  });

  it("shows nothing of other tenants and of workflows that the caller may not read", async () => {
    expect((await ask("blue", "/statistics")).workflows).toEqual([]);
    expect((await ask("orders", "/statistics")).workflows).toMatchObject([{ workflow_name: "order" }]);
    expect((await ask("orders", "/statistics?workflow_name=refund")).workflows).toEqual([]);
    expect((await ask("orders", "/statistics/failures?workflow_name=refund")).groups).toEqual([]);
    for (const path of ["/statistics", "/statistics/failures", "/statistics/histogram"])
      expect((await ask("none", path)).status).toBe(403);
  });

  it("refuses what is no time, and a range that ends before it begins", async () => {
    for (const query of ["after=yesterday", "after=2026-02-01T00:00:00Z&before=2026-01-01T00:00:00Z", "by=step"])
      expect((await ask("ada", `/statistics?${query}`)).status).toBe(400);
  });
});

describe("GET /statistics/failures", () => {
  it("groups failures, without folders of the server, and leads to their runs", async () => {
    const { groups } = await ask("ada", "/statistics/failures");
    expect(groups).toMatchObject([{ workflow_name: "order", step: "charge", count: 2 }]);
    expect(groups[0].message).not.toContain("1");
    const { handlers } = await ask("ada", `/handlers?failure=${groups[0].id}`);
    expect(handlers).toHaveLength(2);
    expect((await ask("ada", `/handlers?failure=${groups[0].id}&sse=true`)).status).toBe(400);
  });

  it("leads to the runs that failed at a step", async () => {
    expect((await ask("ada", "/handlers?failed_step=charge&workflow_name=order")).handlers).toHaveLength(2);
    expect((await ask("ada", "/handlers?failed_step=ship")).handlers).toEqual([]);
    expect((await ask("ada", "/statistics/histogram?failed_step=charge")).bars).toMatchObject([
      { counts: { failed: 2 } },
    ]);
    expect((await ask("ada", "/handlers?failed_step=charge&sse=true")).status).toBe(400);
    expect((await ask("ada", "/handlers?failed_step=")).status).toBe(400);
  });
});

describe("GET /statistics/histogram", () => {
  it("counts the runs of a list", async () => {
    const { bars } = await ask("ada", "/statistics/histogram");
    expect(bars.map(({ counts }: { counts: object }) => counts)).toEqual([
      { running: 0, waiting: 0, queued: 0, completed: 2, failed: 2, cancelled: 0 },
    ]);
    const count = async (token: string, query: string): Promise<number> => {
      const all = (await ask(token, `/statistics/histogram?${query}`)).bars as { counts: Record<string, number> }[];
      return all.flatMap(({ counts }) => Object.values(counts)).reduce((sum, one) => sum + one, 0);
    };
    expect(await count("ada", "status=failed")).toBe(2);
    expect(await count("ada", "workflow_name=refund")).toBe(1);
    expect(await count("ada", "workflow_name=refund&workflow_name=order&periods=1")).toBe(4);
    expect(await count("orders", "")).toBe(3);
    expect(await count("orders", "workflow_name=refund")).toBe(0);
    expect(await count("blue", "")).toBe(0);
  });
});
