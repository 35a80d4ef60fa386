/** The workflow of the golden files. What they hold is fixed: change nothing here that a released file could not bear. */
import * as z from "zod";
import { catchError, collect, type Context, event, HumanResponseEvent, InputRequiredEvent, join, retryPolicy, StartEvent, StopEvent, type StepFailedEvent, step, stop, wait, Workflow, many } from "../../src/index.js";

class Plan extends StartEvent.define("Plan", { parts: z.array(z.string()), since: z.date() }) {}
class Part extends event("Part", { name: z.string() }) {}
class Priced extends event("Priced", { name: z.string(), cents: z.bigint() }) {}
class Stocked extends event("Stocked", { name: z.string(), places: z.set(z.string()) }) {}
class Ready extends event("Ready", { name: z.string(), text: z.string() }) {}
class Gathered extends event("Gathered", { texts: z.array(z.string()) }) {}
class Reminder extends event("Reminder", { of: z.string() }) {}
class Approve extends InputRequiredEvent.define("Approve", { name: z.string() }) {}
class Approved extends HumanResponseEvent.define("Approved", { name: z.string(), by: z.string() }) {}

const Stock = z.object({ tried: z.number().default(0), reminded: z.number().default(0), seen: z.map(z.string(), z.date()).default(() => new Map()) });
interface Stock extends z.output<typeof Stock> {}

const patient = retryPolicy({ wait: wait.fixed("1m"), stop: stop.afterAttempts(3) });

/** Has everything open at once that a snapshot can hold: see write.ts. */
export class Golden extends Workflow.withState(Stock) {
  static override readonly name = "Golden";

  @step({ on: Plan, emits: [many(Part), Reminder] })
  async plan(plan: Plan, ctx: Context<Stock>) {
    await ctx.store.editState((state) => void state.seen.set("plan", plan.since));
    ctx.sendEvent(new Reminder({ of: "plan" }), { delay: "1h", scope: "run" });
    return plan.parts.map((name) => new Part({ name }));
  }

  @step({ on: Part, emits: Priced, retry: patient })
  async price({ name }: Part, ctx: Context<Stock>) {
    await ctx.store.editState((state) => void state.tried++);
    const cents = await ctx.run("price", () => BigInt(name.length) * 2n ** 64n);
    if (name === "bolt" && ctx.retryInfo().retry === 0) throw new Error("The price of bolts is not known yet.");
    if (name === "void") throw new RangeError("There is no void.");
    return new Priced({ name, cents });
  }

  @catchError({ steps: ["price"], emits: Priced })
  free(ev: StepFailedEvent) {
    return new Priced({ name: (ev.input as Part).name, cents: 0n });
  }

  @step({ on: Part, emits: Stocked, waits: Approved, streams: Approve })
  async stock({ name }: Part, ctx: Context<Stock>) {
    if (name === "nut") {
      const { by } = await ctx.waitForEvent(Approved, { prompt: new Approve({ name }), where: { name }, timeout: "1d" });
      return new Stocked({ name, places: new Set([by]) });
    }
    await ctx.sleep("10m");
    return new Stocked({ name, places: new Set(["shelf"]) });
  }

  @step({ on: join({ priced: Priced, stocked: Stocked }), emits: Ready })
  ready({ priced, stocked }: { priced: Priced; stocked: Stocked }) {
    return new Ready({ name: priced.name, text: `${priced.name}: ${priced.cents} at ${[...stocked.places].join()}` });
  }

  @step({ on: collect(Ready), emits: Gathered })
  gather(all: readonly Ready[]) {
    return new Gathered({ texts: all.map((one) => one.text) });
  }

  @step({ on: Reminder })
  async remind(_ev: Reminder, ctx: Context<Stock>) {
    await ctx.store.editState((state) => void state.reminded++);
  }

  @step({ on: Gathered, emits: StopEvent })
  async end({ texts }: Gathered, ctx: Context<Stock>) {
    await ctx.sleep("2h");
    const { tried, reminded, seen } = await ctx.store.getState();
    return new StopEvent({ result: { texts, tried, reminded, since: seen.get("plan")?.toISOString() } });
  }
}
