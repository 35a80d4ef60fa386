import { Injectable } from "@nestjs/common";
import { type Context, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";
import { Model } from "./model.js";
import { Payments } from "./payments.js";

export class Letter extends StartEvent.define("Letter", { text: z.string() }) {}

/** Reads a letter with a model, and pays after a person has agreed. */
@Injectable()
export class Refund extends Workflow {
  readonly #model: Model;
  readonly #payments: Payments;

  constructor(model: Model, payments: Payments) {
    super();
    this.#model = model;
    this.#payments = payments;
  }

  @step({ on: Letter, emits: StopEvent })
  async refund({ text }: Letter, ctx: Context) {
    const answer = await ctx.run("read", () => this.#model.ask(`How many euros does this letter want back? ${text}`));
    const euros = Number(/\d+/.exec(answer)?.[0] ?? 0);
    const schema = { approved: z.boolean() };
    const { approved } = await ctx.ask({ title: `Refund ${euros} euros?`, schema, timeout: "7d" });
    if (!approved) return new StopEvent({ result: "refused" });
    await ctx.run("pay", ({ idempotencyKey }) => this.#payments.refund(euros, idempotencyKey));
    return new StopEvent({ result: `refunded ${euros} euros` });
  }
}
