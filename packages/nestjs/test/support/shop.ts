/** A shop: a workflow with a constructor, and one whose step names the service it needs. */
import { Inject, Injectable, Module, type OnModuleDestroy, type OnModuleInit, type Type } from "@nestjs/common";
import {
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
  step,
  Workflow,
} from "millrace";
import * as z from "zod";
import { injected } from "../../src/index.js";

/** Decorators of parameters, without their syntax, which only one kind of decorators has. */
export function inject<Class extends Type>(into: Class, ...tokens: Parameters<typeof Inject>[0][]): Class {
  Injectable()(into);
  for (const [index, token] of tokens.entries()) Inject(token)(into, undefined, index);
  return into;
}

export class Mailer implements OnModuleInit, OnModuleDestroy {
  readonly log: string[] = [];

  send(text: string): void {
    this.log.push(text);
  }

  onModuleInit(): void {
    this.send("ready");
  }

  onModuleDestroy(): void {
    this.send("gone");
  }
}

// The syntax of decorators is not for Node, which runs this file as it is.
export class MailModule {}
Module({ providers: [Mailer], exports: [Mailer] })(MailModule);

export class AskRefund extends InputRequiredEvent.define("AskRefund", { order: z.string() }) {}
export class RefundDecision extends HumanResponseEvent.define("RefundDecision", { approved: z.boolean() }) {}
export class RefundStart extends StartEvent.define("RefundStart", { order: z.string() }) {}

export class Refund extends Workflow {
  readonly #mailer: Mailer;

  constructor(mailer: Mailer) {
    super();
    this.#mailer = mailer;
  }

  refund = step(
    { on: RefundStart, emits: StopEvent, waits: RefundDecision, streams: AskRefund },
    async ({ order }, ctx) => {
      const { approved } = await ctx.waitForEvent(RefundDecision, { prompt: new AskRefund({ order }) });
      await ctx.run("mail", () => this.#mailer.send(`${approved ? "refunded" : "kept"} ${order}`));
      return new StopEvent({ result: approved });
    },
  );
}
inject(Refund, Mailer);

export const mailer = injected(Mailer);

export const greet = defineWorkflow("greet")
  .step("greet", { on: StartEvent, emits: StopEvent, resources: { mailer } }, (ev, _ctx, { mailer }) => {
    mailer.send(`greeted ${ev.get("name")}`);
    return new StopEvent({ result: `Hello, ${ev.get("name")}!` });
  })
  .build();
