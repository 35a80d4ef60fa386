/** The whole server in a Durable Object, which sets its alarm for whatever is due next. */
import { durableObjectStore, type ObjectStorage } from "@millrace/sqlite/durable-object";
import { createRuntime, type Runtime } from "millrace/runtime";
import { createServer } from "../../src/index.js";
import { workflows } from "./workflows.js";

interface Context {
  readonly storage: ObjectStorage & { setAlarm(atMs: number): Promise<void> };
}

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

export class Workflows {
  readonly #storage: Context["storage"];
  readonly #runtime: Runtime<typeof workflows>;
  readonly #app: ReturnType<typeof createServer>;

  constructor({ storage }: Context) {
    this.#storage = storage;
    this.#runtime = createRuntime({ workflows, store: durableObjectStore(storage) });
    this.#app = createServer({ runtime: this.#runtime, basePath: "/api" });
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

// biome-ignore lint/style/noDefaultExport: workerd asks for it
export default {
  fetch(request: Request, { workflows: namespace }: { readonly workflows: Namespace }): Promise<Response> {
    return namespace.get(namespace.idFromName("only")).fetch(request);
  },
};
