/** An endpoint as a worker of Cloudflare has it. */
import { createEndpointHandler } from "@restatedev/restate-sdk/fetch";
import { createRestateHost } from "../../src/index.js";
import { serverlessFlows } from "../support/serverless-flows.js";

const host = createRestateHost({ workflows: serverlessFlows, mode: "slices" });

// biome-ignore lint/style/noDefaultExport: workerd asks for it
export default { fetch: createEndpointHandler({ services: [...host.services], logger: () => {} }) };
