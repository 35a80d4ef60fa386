// One question of one run, which seven doors can answer. `file` gets a line for each mail and each payment.
import { appendFileSync } from "node:fs";
import type { SignedLinks } from "@millrace/server/webhooks";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Refund extends StartEvent.define("Refund", { message: z.string() }) {}

export function refundFlow(links: SignedLinks, file: string) {
  return defineWorkflow("refund")
    .step("ask", { on: Refund, emits: StopEvent }, async ({ message }, ctx) => {
      const approval = await links.ask(ctx, {
        title: `Refund ${message}?`,
        schema: { approved: z.boolean(), note: z.string() },
      });
      await ctx.run("mail", () => appendFileSync(file, `${JSON.stringify({ run: ctx.runId, mail: approval.url })}\n`));
      const { approved, note } = await approval.answer;
      if (approved) await ctx.run("pay", () => appendFileSync(file, `${JSON.stringify({ run: ctx.runId, note })}\n`));
      return new StopEvent({ result: note });
    })
    .build();
}
