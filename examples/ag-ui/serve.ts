// A workflow over AG-UI: `tsx ag-ui/serve.ts <file> <port>`. It says on which port it listens.
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { aguiHandler } from "@millrace/server/agui";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";

const [file = "trips.db", port = "8080"] = process.argv.slice(2);

class Trip extends StartEvent.define("Trip", { city: z.string() }) {}
class Found extends event("Found", { city: z.string(), euros: z.number() }) {}

const trip = defineWorkflow("trip", { state: { searched: z.array(z.string()).default([]) } })
  .step("book", { on: Trip, emits: StopEvent, streams: [Found] }, async ({ city }, ctx) => {
    await ctx.store.editState((state) => void state.searched.push(city));
    const euros = await ctx.run("search", () => 99);
    ctx.writeEventToStream(new Found({ city, euros }));
    const { approved } = await ctx.ask({ title: `Book ${city} for ${euros} €?`, schema: { approved: z.boolean() } });
    return new StopEvent({ result: approved ? `Your flight to ${city} is booked.` : "Nothing is booked." });
  })
  .build();

const runtime = createRuntime({ workflows: { trip }, store: sqliteStore(file) });
await runtime.start();

const agui = aguiHandler(runtime, {
  workflows: {
    trip: {
      input: ({ text }) => ({ city: text }),
      show: ["searched"], // of the state, the page sees this field
      map: ({ event: shown }) => (Found.is(shown) ? { activityType: "flight", content: { ...shown } } : undefined),
    },
  },
});
const app = createServer({ runtime, agui });
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, (address) => console.log(address.port));
