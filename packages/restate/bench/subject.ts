/** The same three steps, as a workflow and as a handler written by hand. */
import http2 from "node:http2";
import { createRestateHost } from "@millrace/restate";
import { handlers, type ObjectContext, object } from "@restatedev/restate-sdk/fetch";
import { createEndpointHandler } from "@restatedev/restate-sdk/node";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

class Begin extends StartEvent.define("Begin", { x: z.number() }) {}
class First extends event("First", { x: z.number() }) {}
class Second extends event("Second", { x: z.number() }) {}

export const chain = defineWorkflow("chain")
  .step("first", { on: Begin, emits: First }, async ({ x }) => new First({ x: x + 1 }))
  .step("second", { on: First, emits: Second }, async ({ x }) => new Second({ x: x * 2 }))
  .step("third", { on: Second, emits: StopEvent }, async ({ x }) => new StopEvent({ result: x }))
  .build();

const hand = object({
  name: "hand",
  handlers: {
    run: handlers.object.exclusive(async (ctx: ObjectContext, { x }: { readonly x: number }) => {
      const first = await ctx.run("first", async () => x + 1);
      const second = await ctx.run("second", async () => first * 2);
      return ctx.run("third", async () => second);
    }),
  },
});

if (process.send !== undefined) {
  const host = createRestateHost({ workflows: { chain } });
  const handler = createEndpointHandler({ services: [...host.services, hand], logger: () => {} });
  http2.createServer(handler as never).listen(Number(process.env["PORT"]), "127.0.0.1", () => process.send?.("up"));
}
