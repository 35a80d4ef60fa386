/** The same workflow behind `createServer`, on the server that comes with the platform, asked over HTTP. */
import { createServer } from "@millrace/server";
import { createRuntime } from "millrace/runtime";
import { makeShop } from "./functions.ts";

type Fetch = (request: Request) => Response | Promise<Response>;
interface Platform {
  readonly Bun?: {
    serve(options: { port: number; fetch: Fetch }): { readonly port: number; stop(now: true): unknown };
  };
  readonly Deno?: {
    serve(
      options: { port: number; onListen(): void },
      fetch: Fetch,
    ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> };
  };
}
const { Bun, Deno } = globalThis as Platform;

function listen(fetch: Fetch): { readonly port: number; close(): unknown } {
  if (Bun) {
    const server = Bun.serve({ port: 0, fetch });
    return { port: server.port, close: () => server.stop(true) };
  }
  if (Deno === undefined) throw new Error("There is no server here.");
  const server = Deno.serve({ port: 0, onListen: () => {} }, fetch);
  return { port: server.addr.port, close: () => server.shutdown() };
}

export async function runShop(): Promise<string> {
  const runtime = createRuntime({ workflows: { shop: makeShop() } });
  const { port, close } = listen(createServer({ runtime }).fetch);
  const url = `http://localhost:${port}`;
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  try {
    const start_event = { lines: ["apples", "pears", "quinces"] };
    const { handler_id: id, prompts } = await post("/workflows/shop/run", { start_event });
    const stream = fetch(`${url}/events/${id}`);
    await post(`/handlers/${id}/prompts/${prompts[0].prompt_id}`, { fields: { by: "Ada" } });
    const text = await (await stream).text(); // it ends with the run
    const [last] = /\{.*\}/.exec(text.trim().split("\n\n").at(-1) ?? "") ?? [];
    return JSON.stringify(JSON.parse(last ?? "null").value.result);
  } finally {
    await close();
    await runtime.stop();
  }
}
