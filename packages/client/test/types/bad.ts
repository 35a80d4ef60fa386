// biome-ignore-all format: one case per line; a comment must stand right above the line with its error
// Bad cases: each must be refused. `@ts-expect-error` covers the next line of code.
import { createClient } from "../../src/index.js";
import { useRun } from "../../src/react.js";
import { type GotName, Joke, type workflows } from "./workflows.js";

const client = createClient<typeof workflows>({ baseUrl: "https://example.test" });

// @ts-expect-error [2345] -- B01 no such workflow
client.run("jokes", { topic: "x" });
// @ts-expect-error [2554] -- B02 missing input
client.run("joke");
// @ts-expect-error [2561] -- B03 misspelled input
client.run("joke", { topi: "x" });
// @ts-expect-error [2322] -- B04 wrong input type
client.run("joke", { topic: 3 });
// @ts-expect-error [2561] -- B05 misspelled option
client.run("joke", { topic: "x" }, { handlerID: "h" });
// @ts-expect-error [2322] -- B06 the result is not that
const text: string = await client.run("joke", { topic: "x" });
// @ts-expect-error [2339] -- B07 the fields of an event are known once its type is
for await (const { event } of client.run("rated", { topic: "x" }).stream()) event.text;
for await (const { event } of client.run("rated", { topic: "x" }).stream()) {
  // @ts-expect-error [2367] -- B08 no such event
  if (event.type === "Joker") break;
}
for await (const { event } of client.run("rated", { topic: "x" }).stream()) {
  // @ts-expect-error [2339] -- B09 plain data have no methods
  if (event.type === "Joke") event.loud();
}
// @ts-expect-error [2322] -- B10 a field of a named event is wrong
client.handle("h").sendEvent<GotName>({ type: "GotName", name: 3 });
// @ts-expect-error [2353] -- B11 a field that the named event does not have
client.handle("h").sendEvent<GotName>({ type: "GotName", name: "Ada", age: 3 });
// @ts-expect-error [2345] -- B12 no type: no event
client.handle("h").sendEvent({ name: "Ada" });
// @ts-expect-error [2820] -- B13 no such workflow to list
client.runs({ workflow: "jokes" });
// @ts-expect-error [2322] -- B14 no such status
client.runs({ status: "paused" });
// @ts-expect-error [2353] -- B23 pages of all runs come by themselves
client.eachRun({ limit: 1 });
// @ts-expect-error [2322] -- B24 labels are texts
client.run("open", {}, { labels: { customer: 1 } });
// @ts-expect-error [2820] -- B15 no such workflow to handle
client.handle("h", { workflow: "jokes" });
// @ts-expect-error [2345] -- B16 no base URL
createClient({});
// @ts-expect-error [2322] -- B17 classes that are none
createClient({ baseUrl: "", events: { Joke: new Joke({ text: "" }) } });
const outcome = await client.handle("h").idle();
// @ts-expect-error [2339] -- B18 a result before it is there
outcome.result;
export function Shown() {
  // @ts-expect-error [2345] -- B19 the hook knows the names, too
  useRun(client, "jokes");
  // @ts-expect-error [2554] -- B20 and the input
  useRun(client, "joke").start();
}
export function Started() {
  // @ts-expect-error [2561] -- B25 input of the workflow
  useRun(client, "joke", { input: { topi: "x" } });
}
// @ts-expect-error [2345] -- B21 a fork needs a tick
client.fork("h", {});
// @ts-expect-error [2344] -- B22 something that is not a workflow
createClient<{ joke: string }>({ baseUrl: "" });
