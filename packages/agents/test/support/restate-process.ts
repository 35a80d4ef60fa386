/** An endpoint of Restate with the workflows of agents, to be killed. */
import http2 from "node:http2";
import { createRestateHost } from "@millrace/restate";
import { createEndpointHandler } from "@restatedev/restate-sdk/node";
import { flowsOf } from "./agent-flows.js";

const [, , port = "", url = "", log = ""] = process.argv;
const host = createRestateHost({ workflows: flowsOf({ url, log }) });
const handler = createEndpointHandler({ services: [...host.services], logger: () => {} });
http2.createServer(handler as never).listen(Number(port), "127.0.0.1", () => process.send?.("up"));
