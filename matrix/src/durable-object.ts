/** The whole server in a Durable Object. */
import { createServer } from "@millrace/server";
import { durableObjectStore, type ObjectStorage } from "@millrace/sqlite/durable-object";
import { createRuntime, type Runtime } from "millrace/runtime";
import { makeShop } from "./functions.ts";

interface Context {
  readonly storage: ObjectStorage & { setAlarm(atMs: number): Promise<void> };
}

export class Shop {
  readonly #storage: Context["storage"];
  readonly #runtime: Runtime;
  readonly #app: ReturnType<typeof createServer>;

  constructor({ storage }: Context) {
    this.#storage = storage;
    this.#runtime = createRuntime({ workflows: { shop: makeShop() }, store: durableObjectStore(storage) });
    this.#app = createServer({ runtime: this.#runtime, basePath: "/run" });
  }

  async fetch(request: Request): Promise<Response> {
    const response = await this.#app.fetch(request);
    await this.#setAlarm();
    return response;
  }

  async alarm(): Promise<void> {
    await this.#runtime.start();
    await this.#setAlarm();
  }

  async #setAlarm(): Promise<void> {
    const { wakeAtMs } = await this.#runtime.due();
    if (wakeAtMs !== null) await this.#storage.setAlarm(wakeAtMs);
  }
}

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

export default {
  fetch: (request: Request, { shop }: { readonly shop: Namespace }): Promise<Response> =>
    shop.get(shop.idFromName("only")).fetch(request),
};
