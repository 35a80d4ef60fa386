import { proveResumable, runStep, runToEnd, testRuntime } from "@millrace/testing";
import { expect, it, vi } from "vitest";
import { Approve, bank, Order, OrderFlow } from "./order.js";

const payingBank = () => ({ pay: vi.fn(async (euros: number, _key: string) => `paid ${euros}`) });

it("marks orders of more than 100 euros as large", async () => {
  const { output } = await runStep(new OrderFlow(), "check", new Order({ euros: 101 }));

  expect(output).toMatchObject([{ type: "Checked", isLarge: true }]);
});

it("pays a small order without asking", async () => {
  const fake = payingBank();

  const { result, steps } = await runToEnd(new OrderFlow(), { euros: 8 }, { resources: [bank.override(fake)] });

  expect(result).toBe("paid 8");
  expect(steps).toEqual(["check", "pay"]);
  expect(fake.pay).toHaveBeenCalledOnce();
});

it("asks for a large one, and pays nothing that is refused", async () => {
  const fake = payingBank();

  const { result, events } = await runToEnd(
    new OrderFlow(),
    { euros: 500 },
    { resources: [bank.override(fake)], answers: { Approve: { approved: false } } },
  );

  expect(events[0]).toEqual(new Approve({ euros: 500 }));
  expect(result).toBe("refused");
  expect(fake.pay).not.toHaveBeenCalled();
});

it("tries again when the bank is busy", async () => {
  const fake = payingBank();
  fake.pay.mockRejectedValueOnce(new Error("busy")).mockRejectedValueOnce(new Error("busy"));

  const { result } = await runToEnd(new OrderFlow(), { euros: 8 }, { resources: [bank.override(fake)] });

  expect(result).toBe("paid 8");
  expect(fake.pay).toHaveBeenCalledTimes(3);
});

it("fails when nobody answers for seven days", async () => {
  const { outcome } = await runToEnd(new OrderFlow(), { euros: 500 }, { answers: { Approve: null } });

  expect(outcome).toMatchObject({ status: "failed", error: { code: "WAIT_TIMED_OUT" } });
});

it("refuses an order of nothing", async () => {
  await expect(async () => new OrderFlow().run({ euros: 0 })).rejects.toMatchObject({
    code: "EVENT_INVALID",
    details: { issues: [{ path: "euros" }] },
  });
});

it("is found and answered by its id, an hour later", async () => {
  const { runtime, clock } = testRuntime({ order: new OrderFlow() });
  const asked = await runtime.run("order", { euros: 500 }, { runId: "order-7" }).idle();
  const promptId = asked.status === "waiting" ? asked.prompts[0]?.promptId : undefined;

  await clock.advance("1h");
  await runtime.handle("order-7").answer(promptId ?? "", { approved: false });

  expect(await runtime.handle("order-7")).toBe("refused");
  await runtime.stop();
});

it("pays once, wherever the process dies", async () => {
  let paid = new Map<string, number>();
  const fake = {
    async pay(euros: number, key: string) {
      paid.set(key, euros); // a bank that knows the key pays once
      return `paid ${euros}`;
    },
  };
  const world = () => {
    paid = new Map();
    return { create: () => new OrderFlow(), observe: () => [...paid.values()] };
  };

  const { crashes } = await proveResumable(
    world,
    { euros: 500 },
    { resources: [bank.override(fake)], answers: { Approve: { approved: true } } },
  );

  expect(crashes).toBeGreaterThan(0);
  expect([...paid.values()]).toEqual([500]);
});
