import { type Context, event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Ticket extends StartEvent.define("Ticket", { number: z.number(), service: z.string() }) {}
class Refund extends event("Refund", { number: z.number(), service: z.string() }) {}

/** What `--model` and `--prompt` put in the place of those of an agent. */
interface Replaced {
  readonly model?: string;
  readonly instructions?: string;
  models: number;
  texts: number;
}

const place: unique symbol = Symbol.for("millrace.replaced-agents") as never;

export class Support extends Workflow {
  static override readonly name = "support";

  @step({ on: Ticket, emits: [Refund, StopEvent] })
  async triage({ number, service }: Ticket, ctx: Context) {
    const ask = async (): Promise<{ readonly category: string }> => {
      const replaced = (globalThis as { [place]?: Replaced })[place];
      if (replaced?.model !== undefined) replaced.models++;
      if (replaced?.instructions !== undefined) replaced.texts++;
      const { model = "old", instructions = "Be kind." } = replaced ?? {};
      const query = new URLSearchParams({ number: String(number), model, instructions });
      return (await fetch(`${service}/?${query}`)).json() as Promise<{ readonly category: string }>;
    };
    const { category } = await ctx.run("judge", ask, { label: "model" });
    return category === "refund" ? new Refund({ number, service }) : new StopEvent({ result: "answered" });
  }

  @step({ on: Refund, emits: StopEvent })
  async refund({ number, service }: Refund, ctx: Context) {
    await ctx.run("pay", async () => (await fetch(`${service}/pay/${number}`, { method: "POST" })).text());
    return new StopEvent({ result: "refunded" });
  }
}
