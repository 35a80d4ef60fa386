/** The function form: the same workflow without decorators, so no tool has anything to lower. */
import { collect, defineWorkflow, many, StopEvent, type Workflow } from "millrace";
import { Confirm, Confirmed, Line, Order, Priced, sell, shopState } from "./shop.ts";

const shop = defineWorkflow("shop", { state: shopState })
  .step("split", { on: Order, emits: many(Line) }, async (ev, ctx) => {
    await ctx.store.set("orders", 1);
    return ev.lines.map((text) => new Line({ text }));
  })
  .step("price", { on: Line, emits: Priced, workers: 2 }, async (ev, ctx) => {
    await ctx.store.editState((state) => {
      state.priced += 1;
    });
    return new Priced({ text: ev.text.toUpperCase() });
  })
  .step("total", { on: collect(Priced), emits: StopEvent, waits: Confirmed, streams: Confirm }, async (all, ctx) => {
    const euros = all.reduce((sum, one) => sum + one.euros, 0);
    const { by } = await ctx.waitForEvent(Confirmed, { prompt: new Confirm({ euros }) });
    const state = await ctx.store.getState();
    return new StopEvent({ result: { by, euros, lines: all.map((one) => one.text), ...state } });
  });

export const makeShop = (): Workflow => shop.build();
export const runShop = (): Promise<string> => sell(makeShop(), makeShop());
