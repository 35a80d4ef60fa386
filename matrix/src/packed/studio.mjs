/** The server with the studio: its page, and what the page loads. */
import { createServer } from "@millrace/server";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";

const greeting = defineWorkflow("greeting")
  .step("greet", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "Hello" }))
  .build();
const app = createServer({ runtime: createRuntime({ workflows: { greeting } }), studio: true });
const page = await app.request("/studio/");
const text = await page.text();
const assets = [...text.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g)].map(([, path]) => path);
const loaded = await Promise.all(assets.map((path) => app.request(`/studio/${path}`)));
if (page.status !== 200 || loaded.length < 2 || loaded.some(({ status }) => status !== 200))
  throw new Error(`${page.status} ${text.slice(0, 300)}`);
console.log(`${process.version.slice(1, 3)}: the studio and its scripts`);
