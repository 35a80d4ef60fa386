/** An API for several companies: each sees its own runs, has its own turns in the queue, and people of it have different rights. */
import { bearerAuth, createServer } from "@millrace/server";
import { type Context, StartEvent, StopEvent, step, Workflow } from "millrace";
import { createRuntime, type RunStore } from "millrace/runtime";
import * as z from "zod";

class Invoice extends StartEvent.define("Invoice", { number: z.string().max(50), cents: z.int().positive() }) {}

export class Approval extends Workflow {
  @step({ on: Invoice, emits: StopEvent })
  async ask({ number, cents }: Invoice, ctx: Context) {
    const { approved } = await ctx.ask({
      title: `Pay ${number}: ${cents / 100} euros?`,
      schema: { approved: z.boolean() },
    });
    return new StopEvent({ result: approved ? "paid" : "refused" });
  }
}

/** Read tokens from your secrets. A token decides the tenant; a request cannot name another. */
export interface Access {
  readonly token: string;
  readonly tenant: string;
  readonly user: string;
  readonly role: "clerk" | "approver";
}

const rights = { clerk: ["start", "read"], approver: ["read", "answer"] } as const;

export function createApi(store: RunStore, access: readonly Access[]) {
  const runtime = createRuntime({
    workflows: { approval: new Approval() },
    store,
    queues: { invoices: { concurrency: 20, perKey: { concurrency: 5 } } },
  });
  const app = createServer({
    runtime,
    auth: bearerAuth({
      tokens: access.map(({ token, tenant, user, role }) => ({ token, tenant, user, may: rights[role] })),
    }),
    queueOf: ({ tenant }) => ({ queue: "invoices", queueKey: tenant }),
    limits: { startsPerMinutePerClient: 60, bodyBytes: 10_000 },
  });
  return { runtime, app };
}
