/** A server with the workflow, in Node. Prints its port. */
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { createRuntime } from "millrace/runtime";
import { makeShop } from "./functions.ts";

const runtime = createRuntime({ workflows: { shop: makeShop() } });
const { fetch } = createServer({ runtime });
serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));
