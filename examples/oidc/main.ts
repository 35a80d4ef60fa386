// Callers with tokens of an OpenID provider: one may start, one may answer, one is of another tenant.
// `pnpm --filter ./examples oidc`
import { createServer } from "@millrace/server";
import { createRuntime } from "millrace/runtime";
import { workflows } from "../server/workflow.js";
import { oidcAuth } from "./auth.js";
import { audience, startProvider, tokenOf } from "./provider.js";

const provider = await startProvider();
const runtime = createRuntime({ workflows });
const app = createServer({ runtime, auth: oidcAuth({ issuer: provider.issuer, audience }) });

/** What is read of the answers. */
interface Answer {
  readonly prompts: readonly { readonly prompt_id: string }[];
  readonly result: { readonly value: unknown };
}

async function ask(token: string, method: "GET" | "POST", path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await app.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as Answer };
}

const [shop, support, other] = [
  await tokenOf(provider.issuer, "shop"),
  await tokenOf(provider.issuer, "support"),
  await tokenOf(provider.issuer, "other"),
];
const start = { handler_id: "r-1", start_event: { order: "A-17", euros: 80 } };
console.log("support starts", (await ask(support, "POST", "/workflows/refund/run", start)).status);
console.log("shop starts   ", (await ask(shop, "POST", "/workflows/refund/run", start)).status);

const { prompts } = (await ask(support, "GET", "/handlers/r-1/prompts")).body;
const answer = `/handlers/r-1/prompts/${prompts[0]?.prompt_id}`;
console.log("shop answers  ", (await ask(shop, "POST", answer, { fields: { approved: true } })).status);
console.log("other answers ", (await ask(other, "POST", answer, { fields: { approved: true } })).status);
console.log("support answers", (await ask(support, "POST", answer, { fields: { approved: true } })).status);
console.log("a forged token", (await ask(`${shop}x`, "GET", "/handlers")).status);
console.log((await ask(shop, "GET", "/handlers/r-1?wait=5000")).body.result.value);

await runtime.stop();
provider.close();
