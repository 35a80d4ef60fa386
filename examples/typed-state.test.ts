import { Context } from "millrace";
import { describe, expect, it } from "vitest";
import { runExample } from "./test/run-example.js";
import { AtomicCounter, Money, OpenCounter, Purse, TypedCounter } from "./typed-state.js";

describe("typed state", () => {
  it("prints the state of every run", async () => {
    const { output } = await runExample("typed-state.ts");

    expect(output.split("\n")).toEqual([
      "open record: 1",
      "edited as one: 1",
      "first run: { count: 1, names: [ 'Ada' ] }",
      "second run: { count: 2, names: [ 'Ada', 'Grace' ] }",
      "third run, after a restore: { count: 3, names: [ 'Ada', 'Grace', 'Edith' ] }",
      "cents in the purse: 200",
      "",
    ]);
  });

  it("carries open state over several runs", async () => {
    const workflow = new OpenCounter();
    const context = new Context(workflow);

    await workflow.run({}, { context });

    expect(await workflow.run({}, { context })).toBe(2);
    expect(await context.store.get("count")).toBe(2);
  });

  it("begins anew without a context", async () => {
    const workflow = new AtomicCounter();

    await workflow.run();

    expect(await workflow.run()).toBe(1);
  });

  it("refuses a value that does not fit the schema, and keeps the state", async () => {
    const context = new Context(new TypedCounter());

    // @ts-expect-error -- a string is no number
    const refused = context.store.set("count", "two");

    await expect(refused).rejects.toMatchObject({ code: "STATE_INVALID" });
    expect(await context.store.get("count")).toBe(0);
  });

  it("starts on state that the caller has set", async () => {
    const workflow = new TypedCounter();
    const context = new Context(workflow);

    await context.store.set("count", 41);

    expect(await workflow.run({ name: "Ada" }, { context })).toEqual({ count: 42, names: ["Ada"] });
  });

  it("brings a registered class back as an instance of it", async () => {
    const workflow = new Purse();
    const context = new Context(workflow);
    await context.store.set("total", new Money(7));

    const restored = Context.fromDict(workflow, JSON.parse(JSON.stringify(context.toDict())));

    expect(await restored.store.get("total")).toEqual(new Money(7));
    expect(await restored.store.get("total")).toBeInstanceOf(Money);
  });
});
