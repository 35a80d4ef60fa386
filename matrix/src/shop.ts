/** What both forms of the workflow share: its events, and one run that is stored and resumed halfway. */
import { Context, event, HumanResponseEvent, InputRequiredEvent, StartEvent, type Workflow } from "millrace";
import * as z from "zod";

export class Order extends StartEvent.define("Order", { lines: z.array(z.string()) }) {}
export class Line extends event("Line", { text: z.string() }) {}
export class Priced extends event("Priced", { text: z.string(), euros: z.number().default(5) }) {}
export class Confirm extends InputRequiredEvent.define("Confirm", { euros: z.number() }) {}
export class Confirmed extends HumanResponseEvent.define("Confirmed", { by: z.string() }) {}

export const shopState = { orders: z.number().default(0), priced: z.number().default(0) };
export interface ShopState {
  orders: number;
  priced: number;
}

/** One line of JSON: the same from every toolchain. */
export async function sell(first: Workflow, second: Workflow): Promise<string> {
  const asking = first.run({ lines: ["apples", "pears", "quinces"] });
  const outcome = await asking.idle();
  if (outcome.status === "failed") throw outcome.error;
  if (outcome.status !== "waiting") throw new Error(`The run is ${outcome.status}, not waiting.`);
  // Through JSON, as between two processes: a name that a minifier has changed would not be found again.
  const stored = JSON.stringify({ promptId: outcome.prompts[0]?.promptId, context: asking.context.toDict() });

  const { promptId, context } = JSON.parse(stored);
  const answered = second.resume(Context.fromDict(second, context));
  await answered.answer(promptId, { by: "Ada" });
  return JSON.stringify(await answered);
}
