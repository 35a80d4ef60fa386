/** The events of a class, in the two forms of the client. */
import { createClient } from "@millrace/client";
import { Progress } from "./events";
import type { Workflows } from "./flows";

const events = { Progress };
const plain = createClient<Workflows>({ baseUrl: "/api" });
const given = createClient<Workflows, typeof events>({ baseUrl: "/api", events });

export async function forms() {
  for await (const { event } of plain.run("flow", {}).stream<Progress>())
    if (event.type === "Progress") console.log(event.percent);
  for await (const { event } of given.run("flow", {}).stream())
    if (event.type === "Progress") console.log(event.percent);
}
