import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { expect, it } from "vitest";
import { type Shop, supportDesk } from "./flows.js";
import { scriptedModel } from "./model.js";

/** Notes what was paid. */
function shopOf(prices: Readonly<Record<string, number>>) {
  const paid: string[] = [];
  const shop: Shop = {
    priceOf: async (id) => prices[id] ?? 0,
    pay: async (id, euros) => void paid.push(`${id}: ${euros}`),
  };
  return { shop, paid };
}

it("pays a small order back without asking", async () => {
  const { shop, paid } = shopOf({ "A-17": 20 });
  const Desk = supportDesk(shop, scriptedModel());

  const { to, text } = await new Desk().run({ from: "ada", text: "A-17 arrived broken" });

  expect({ to, text, paid }).toEqual({ to: "ada", text: "I have paid 20 euros back.", paid: ["A-17: 20"] });
});

it.each([
  [true, "I have paid 480 euros back.", ["B-2: 480"]],
  [false, "I am sorry, we cannot pay this order back.", []],
])("asks about a large one, over a restart, and does what was answered: %s", async (approved, answer, payments) => {
  const { shop, paid } = shopOf({ "B-2": 480 });
  const model = scriptedModel();
  const file = join(mkdtempSync(join(tmpdir(), "desk-")), "runs.db");
  const open = () => {
    const Desk = supportDesk(shop, model);
    return createRuntime({ workflows: { desk: new Desk() }, store: sqliteStore(file) });
  };

  const before = open();
  const outcome = await before.run("desk", { from: "ada", text: "B-2 arrived broken" }, { runId: "letter-1" }).idle();
  await before.stop(); // a deployment, a weekend
  const after = open();
  const run = after.handle("letter-1");
  const prompts = outcome.status === "waiting" ? outcome.prompts : [];
  await run.answer(prompts[0]?.promptId ?? "", { approved });
  const reply = await run;
  await after.stop();

  expect(prompts).toHaveLength(1);
  expect(reply).toMatchObject({ text: answer });
  expect(paid).toEqual(payments);
  expect(model.doStreamCalls).toHaveLength(3); // the order, the refund, the answer: none was asked for twice
});
