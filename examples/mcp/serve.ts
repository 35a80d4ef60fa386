// Workflows as tools of the Model Context Protocol: `tsx mcp/serve.ts <file> <port> <log>`. It says on which port it listens.
import { appendFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { mcpHandler } from "@millrace/server/mcp-handler";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";

const [file = "shop.db", port = "8080", log = "shop.log"] = process.argv.slice(2);

class Order extends StartEvent.define("Order", { order: z.string() }) {}
class Found extends StopEvent.define("Found", { euros: z.number(), isPaid: z.boolean() }) {}

const find_order = defineWorkflow("find_order")
  .step("find", { on: Order, emits: Found }, ({ order }) => {
    appendFileSync(log, `find_order ${order}\n`);
    return new Found({ euros: 80, isPaid: true });
  })
  .build();

const refund = defineWorkflow("refund")
  .step("refund", { on: Order, emits: StopEvent }, async ({ order }, ctx) => {
    await ctx.run("pay back", () => appendFileSync(log, `refund ${order}\n`));
    return new StopEvent({ result: `80 euros for ${order} are on their way` });
  })
  .build();

const runtime = createRuntime({ workflows: { find_order, refund }, store: sqliteStore(file) });
await runtime.start();

const tools = { find_order: "Looks up an order.", refund: "Pays an order back." };
const app = createServer({ runtime, mcp: mcpHandler(runtime, { tools }) });
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, (address) => console.log(address.port));
