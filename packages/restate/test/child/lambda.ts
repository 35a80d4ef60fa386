/** One instance of a Lambda function: gets an event, and gives what its handler gives. It is frozen in between. */
import { createEndpointHandler } from "@restatedev/restate-sdk/lambda";
import { createRestateHost } from "../../src/index.js";
import { serverlessFlows } from "../support/serverless-flows.js";

const host = createRestateHost({ workflows: serverlessFlows, mode: "slices" });
const handler = createEndpointHandler({ services: [...host.services], logger: () => {} });

process.on("message", async (event: Parameters<typeof handler>[0]) => {
  process.send?.(await handler(event, { awsRequestId: "request" } as Parameters<typeof handler>[1]));
});
process.send?.("up");
