/** Two Durable Objects: one that does what is asked of its store, and one that runs a workflow. */
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent, WorkflowError } from "millrace";
import { createRuntime, type RunStore, type Runtime } from "millrace/runtime";
import * as z from "zod";
import { durableObjectStore, type ObjectStorage } from "../../src/durable-object.js";

interface Context {
  readonly storage: ObjectStorage;
}

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

async function listOf(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** `POST /store/{connection}/{method}` with a list of values; `GET /store/{connection}` watches; `POST /sql` runs a text. */
export class StoreObject {
  readonly #storage: ObjectStorage;
  readonly #stores = new Map<string, RunStore>();

  constructor({ storage }: Context) {
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const [, kind, connection = "", method] = new URL(request.url).pathname.split("/");
    try {
      if (kind === "sql") return Response.json(this.#storage.sql.exec(await request.text()).toArray());
      const store = this.#stores.get(connection) ?? durableObjectStore(this.#storage);
      this.#stores.set(connection, store);
      if (method === undefined) return watch(store);
      const call = store[method as "list"] as (...values: unknown[]) => unknown;
      const value = await call.apply(store, (await request.json()) as unknown[]);
      return Response.json({ value });
    } catch (error) {
      if (!WorkflowError.is(error)) throw error;
      const { code, message, hint, details } = error;
      return Response.json({ error: { code, message, hint, details } });
    }
  }
}

function watch(store: RunStore): Response {
  let stop = (): void => {};
  const body = new ReadableStream({
    start(controller) {
      const print = (value: unknown): void =>
        controller.enqueue(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
      print("ready");
      stop = store.watch((...told) => print(told));
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { "content-encoding": "identity" } }); // compressed, it would come in blocks
}

class AskGuest extends InputRequiredEvent.define("AskGuest", { rooms: z.array(z.string()) }) {}
class RoomChosen extends HumanResponseEvent.define("RoomChosen", { room: z.string() }) {}

const booking = defineWorkflow("booking", { state: { bookings: z.number().default(0) } })
  .step("book", { on: StartEvent, emits: StopEvent, waits: RoomChosen, streams: AskGuest }, async (_ev, ctx) => {
    const found = await ctx.run("look", () => ["attic", "garden"]);
    const { room } = await ctx.waitForEvent(RoomChosen, { prompt: new AskGuest({ rooms: found }) });
    const bookings = await ctx.store.editState((state) => ++state.bookings);
    return new StopEvent({ result: { room, bookings } });
  })
  .build();

/** `/start/{id}`, `/answer/{id}/{room}`, `/events/{id}`, `/history/{id}`. */
export class RuntimeObject {
  readonly #runtime: Runtime<{ booking: typeof booking }>;
  readonly #started: Promise<number>;

  constructor({ storage }: Context) {
    this.#runtime = createRuntime({ workflows: { booking }, store: durableObjectStore(storage) });
    this.#started = this.#runtime.start();
  }

  async fetch(request: Request): Promise<Response> {
    await this.#started;
    const [, action, id = "", room] = new URL(request.url).pathname.split("/");
    const runtime = this.#runtime;
    if (action === "start") return Response.json(await runtime.run("booking", {}, { runId: id }).idle());
    if (action === "events") return Response.json(await listOf(runtime.handle(id).streamEvents()));
    if (action === "history") return Response.json(await listOf(runtime.history(id)));
    const handle = runtime.handle(id);
    const [prompt] = await handle.prompts();
    const receipt = await handle.answer(prompt?.promptId ?? "", { room });
    return Response.json({ receipt, result: await handle });
  }
}

// biome-ignore lint/style/noDefaultExport: workerd asks for it
export default {
  /** The host of the address names the object. */
  fetch(request: Request, env: { readonly STORE: Namespace; readonly RUNTIME: Namespace }): Promise<Response> {
    const { hostname, pathname } = new URL(request.url);
    const namespace = /^\/(store|sql)\b/.test(pathname) ? env.STORE : env.RUNTIME;
    return namespace.get(namespace.idFromName(hostname)).fetch(request);
  },
};
