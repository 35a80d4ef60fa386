/** The class form: decorated methods. */
import { type Context, collect, many, StopEvent, step, Workflow } from "millrace";
import { Confirm, Confirmed, Line, Order, Priced, type ShopState, sell, shopState } from "./shop.ts";

class Shop extends Workflow.withState(shopState) {
  @step({ on: Order, emits: many(Line) })
  async split(ev: Order, ctx: Context<ShopState>) {
    await ctx.store.set("orders", 1);
    return ev.lines.map((text) => new Line({ text }));
  }

  @step({ on: Line, emits: Priced, workers: 2 })
  async price(ev: Line, ctx: Context<ShopState>) {
    await ctx.store.editState((state) => {
      state.priced += 1;
    });
    return new Priced({ text: ev.text.toUpperCase() });
  }

  @step({ on: collect(Priced), emits: StopEvent, waits: Confirmed, streams: Confirm })
  async total(all: readonly Priced[], ctx: Context<ShopState>) {
    const euros = all.reduce((sum, one) => sum + one.euros, 0);
    const { by } = await ctx.waitForEvent(Confirmed, { prompt: new Confirm({ euros }) });
    const state = await ctx.store.getState();
    return new StopEvent({ result: { by, euros, lines: all.map((one) => one.text), ...state } });
  }
}

export const makeShop = (): Workflow => new Shop();
export const runShop = (): Promise<string> => sell(new Shop(), new Shop());
