/** Durable Objects that serve one workflow each, and wake when a run is due: the workflow is the host of the address. */
import { durableObjectStore, type ObjectStorage } from "@millrace/sqlite/durable-object";
import { createHandler, type RequestHandler } from "../../src/serverless.js";
import { workflows } from "./workflows.js";

interface Context {
  readonly storage: ObjectStorage & { setAlarm(atMs: number): Promise<void> };
}

interface Served {
  fetch(request: Request): Promise<Response>;
  alarm(): Promise<void>;
}

const serving = (name: keyof typeof workflows): (new (context: Context) => Served) =>
  class {
    readonly #storage: Context["storage"];
    readonly #handler: RequestHandler;

    constructor({ storage }: Context) {
      this.#storage = storage;
      this.#handler = createHandler(workflows[name], { name, store: durableObjectStore(storage) });
    }

    async fetch(request: Request): Promise<Response> {
      const response = await this.#handler(request);
      if (request.method === "POST") await this.alarm();
      return response;
    }

    async alarm(): Promise<void> {
      const { wakeAtMs } = await this.#handler.due();
      if (wakeAtMs !== null) await this.#storage.setAlarm(wakeAtMs);
    }
  };

export const Refund: unknown = serving("refund");
export const Nap: unknown = serving("nap");

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

// biome-ignore lint/style/noDefaultExport: workerd asks for it
export default {
  fetch(request: Request, env: { readonly [workflow: string]: Namespace }): Promise<Response> {
    const namespace = env[new URL(request.url).hostname] as Namespace;
    return namespace.get(namespace.idFromName("only")).fetch(request);
  },
};
