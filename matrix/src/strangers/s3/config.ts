/** `ResourceConfig`: a config of JSON. */
import { readFile, writeFile } from "node:fs/promises";
import { defineWorkflow, resource, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

const Schema = z.object({ model: z.string() });
await writeFile("config.json", '{ "model": "small" }');
const config = resource("name", async () => Schema.parse(JSON.parse(await readFile("config.json", "utf8"))));
const flow = defineWorkflow("config")
  .step(
    "read",
    { on: StartEvent, emits: StopEvent, resources: { config } },
    (_ev, _ctx, { config: { model } }) => new StopEvent({ result: model }),
  )
  .build();

console.log(`config: ${await flow.run()}`);
