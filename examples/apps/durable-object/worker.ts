/** A whole Millrace server in a Durable Object of Cloudflare: its runs are in the SQLite of the object, and an alarm wakes it. */
import { createServer } from "@millrace/server";
import { durableObjectStore, type ObjectStorage } from "@millrace/sqlite/durable-object";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, type Runtime } from "millrace/runtime";
import * as z from "zod";

class Claim extends StartEvent.define("Claim", { order: z.string(), euros: z.number() }) {}

const refund = defineWorkflow("refund")
  .step("ask", { on: Claim, emits: StopEvent }, async ({ order, euros }, ctx) => {
    const schema = { approved: z.boolean() };
    const { approved } = await ctx.ask({ title: `Refund ${euros} euros for ${order}?`, schema, timeout: "7d" });
    return new StopEvent({ result: approved ? `refunded ${order}` : `refused ${order}` });
  })
  .build();

interface State {
  readonly storage: ObjectStorage & { setAlarm(atMs: number): Promise<void> };
}

export class Refunds {
  readonly #storage: State["storage"];
  readonly #runtime: Runtime;
  readonly #app: ReturnType<typeof createServer>;

  constructor({ storage }: State) {
    this.#storage = storage;
    this.#runtime = createRuntime({ workflows: { refund }, store: durableObjectStore(storage) });
    this.#app = createServer({ runtime: this.#runtime }); // give it `auth` before others reach it
  }

  async fetch(request: Request): Promise<Response> {
    const response = await this.#app.fetch(request);
    await this.#setAlarm();
    return response;
  }

  /** Called by Cloudflare when a timer of a run is due. */
  async alarm(): Promise<void> {
    await this.#runtime.start();
    await this.#setAlarm();
  }

  async #setAlarm(): Promise<void> {
    const { wakeAtMs } = await this.#runtime.due();
    if (wakeAtMs !== null) await this.#storage.setAlarm(wakeAtMs);
  }
}

interface Env {
  readonly REFUNDS: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

/** One object for each customer: `/ada/workflows/refund/run-nowait`. */
// biome-ignore lint/style/noDefaultExport: Cloudflare reads it
export default {
  fetch(request: Request, { REFUNDS }: Env): Promise<Response> {
    const url = new URL(request.url);
    const [, customer = "", ...rest] = url.pathname.split("/");
    url.pathname = `/${rest.join("/")}`;
    return REFUNDS.get(REFUNDS.idFromName(customer)).fetch(new Request(url, request));
  },
};
