// A run that asks a person, is stored, and goes on in another process.
//
//     pnpm --filter ./examples human-in-the-loop                      both processes, one after the other
//     pnpm --filter ./examples human-in-the-loop ask refund.json      the first one alone
//     pnpm --filter ./examples human-in-the-loop answer refund.json   the second one alone
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Context, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";

class Claim extends StartEvent.define("Claim", { order: z.string(), euros: z.number() }) {}
class ApproveRefund extends InputRequiredEvent.define("ApproveRefund", { order: z.string(), euros: z.number() }) {}
class RefundDecision extends HumanResponseEvent.define("RefundDecision", { approved: z.boolean(), by: z.string() }) {}

export class RefundFlow extends Workflow {
  @step({ on: Claim, emits: StopEvent, waits: RefundDecision, streams: ApproveRefund })
  async refund({ order, euros }: Claim, ctx: Context) {
    if (euros < 20) return new StopEvent({ result: `${order}: refunded ${euros} euros` });

    const { approved, by } = await ctx.waitForEvent(RefundDecision, { prompt: new ApproveRefund({ order, euros }) });
    return new StopEvent({
      result: approved ? `${order}: refunded ${euros} euros, says ${by}` : `${order}: refused by ${by}`,
    });
  }
}

/** Starts a run and stores it where it stops to ask. */
async function ask(file: string) {
  const handler = new RefundFlow().run({ order: "A-17", euros: 80 });
  const outcome = await handler.idle();
  if (outcome.status !== "waiting") throw new Error(`The run is ${outcome.status}, not waiting.`);

  const prompts = outcome.prompts.map(({ promptId, event }) => ({ promptId, asks: event.type, ...event.toJSON() }));
  console.log(`process ${process.pid} asks:`, prompts);
  writeFileSync(file, JSON.stringify({ prompts, context: handler.context.toDict() }));
}

/** Loads the run, answers its prompt, and awaits its result. */
async function answer(file: string) {
  const { prompts, context } = JSON.parse(readFileSync(file, "utf8"));
  const workflow = new RefundFlow();
  const handler = workflow.resume(Context.fromDict(workflow, context));
  const receipt = await handler.answer(prompts[0].promptId, { approved: true, by: "Ada" });
  console.log(`process ${process.pid} answers: ${receipt.status}`);
  console.log(`process ${process.pid} has the result: ${await handler}`);
}

function inTwoProcesses() {
  const folder = mkdtempSync(join(tmpdir(), "refund-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "refund.json");
  for (const half of ["ask", "answer"]) {
    const { status } = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, half, file], {
      stdio: "inherit",
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}

if (import.meta.main) {
  const [half, file = "refund.json"] = process.argv.slice(2);
  if (half === "ask") await ask(file);
  else if (half === "answer") await answer(file);
  else inTwoProcesses();
}
