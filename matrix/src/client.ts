/** The same workflow on a server, asked through the client: what every platform of the client runs. */
import { createClient } from "@millrace/client";
import type { makeShop } from "./functions.ts";

type Workflows = { shop: ReturnType<typeof makeShop> };

export async function buyFrom(baseUrl: string): Promise<string> {
  const client = createClient<Workflows>({ baseUrl, retry: { delayMs: 20 } });
  const key = `order ${crypto.randomUUID()}`;
  const order = { lines: ["apples", "pears", "quinces"] };
  const run = client.run("shop", order, { key, labels: { order: key } });
  const outcome = await run.idle();
  if (outcome.status !== "waiting") throw new Error(`The run is ${outcome.status}, not waiting.`);
  for (const { promptId } of outcome.prompts) await run.answer(promptId, { by: "Ada" });

  const types: string[] = [];
  for await (const { event } of client.run("shop", order, { key }).stream()) types.push(event.type);
  if (types.join() !== "Confirm,StopEvent") throw new Error(`The stream has shown ${types.join()}.`);
  const stopped = await run.result({ signal: AbortSignal.abort(new TypeError("stopped")) }).catch(String);
  if (stopped !== "TypeError: stopped") throw new Error(`An aborted call has given ${stopped}.`);
  for await (const { result } of client.eachRun({ labels: { order: key }, status: "completed" }) as AsyncIterable<{
    result?: unknown;
  }>) {
    return JSON.stringify(result);
  }
  throw new Error("The run is not in the list.");
}

/** With the address in the environment, where there is one. */
export const runShop = (): Promise<string> => buyFrom(process.env["SHOP_URL"] as string);
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
