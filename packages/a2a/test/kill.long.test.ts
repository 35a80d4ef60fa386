import { type Task, TaskState } from "@a2a-js/sdk";
import { describe, expect, it } from "vitest";
import { all, bindings, clientOf, data, folded, questions, said, send, text } from "./support/agent.js";
import { KillableProcess } from "./support/processes.js";

const city = (name: string, wordMs = 0) => send([data({ city: name, wordMs })]);

describe.each(bindings)("a task over %s of a server that is killed", (binding) => {
  it("needs input: it is there after the restart, and goes on", async () => {
    await using server = await KillableProcess.start("desk-process.ts");
    const client = await clientOf(server.url, binding);
    const asked = (await client.sendMessage(city("Rome"))) as Task;

    await server.kill();
    await server.start();

    expect(await client.getTask({ id: asked.id, tenant: "" })).toEqual(asked);
    const done = folded(await all(client.sendMessageStream(send([text("yes")], { taskId: asked.id }))));
    expect(said(done).data).toEqual([{ ticket: "T-Rome", price: 99 }]);
    expect(server.effects).toEqual([`search ${asked.id}`, `pay ${asked.id}`]);
  });

  it("streams: the reader subscribes again and has the whole", async () => {
    await using server = await KillableProcess.start("desk-process.ts");
    const client = await clientOf(server.url, binding);
    let id = "";
    const broken = async () => {
      for await (const { payload } of client.sendMessageStream(city("Bari", 250))) {
        if (payload?.$case === "task") id = payload.value.id;
        if (payload?.$case === "artifactUpdate") await server.kill();
      }
    };
    await expect(broken()).rejects.toThrow();

    await server.start();

    const updates: Awaited<ReturnType<typeof all>> = [];
    for await (const update of client.resubscribeTask({ id, tenant: "" })) {
      updates.push(update);
      if (folded(updates).status?.state === TaskState.TASK_STATE_INPUT_REQUIRED) break;
    }
    const asked = folded(updates);
    expect(said(asked).text).toBe("Looking for flights to Bari.");
    expect(questions(asked)).toHaveLength(1);
    expect(asked).toEqual(await client.getTask({ id, tenant: "" }));
  });

  it("a message that is sent again after the restart begins nothing, and answers nothing twice", async () => {
    await using server = await KillableProcess.start("desk-process.ts");
    const client = await clientOf(server.url, binding);
    const first = city("Oslo");
    const asked = (await client.sendMessage(first)) as Task;
    const answer = send([data({ approved: true })], { taskId: asked.id });
    await client.sendMessage(answer);

    await server.kill();
    await server.start();

    const again = (await client.sendMessage(first)) as Task;
    expect(again.id).toBe(asked.id);
    expect(await client.sendMessage(answer)).toEqual(again);
    expect(server.effects).toEqual([`search ${asked.id}`, `pay ${asked.id}`]);
    const list = { tenant: "", contextId: "", status: 0, pageToken: "", statusTimestampAfter: undefined };
    expect((await client.listTasks(list)).totalSize).toBe(1);
  });
});

interface Handler {
  readonly status: string;
  readonly result: { readonly value: { readonly result: unknown } } | null;
  readonly prompts: readonly {
    readonly prompt_id: string;
    readonly event: { readonly value: { readonly title: string } };
  }[];
}

const headers = { "content-type": "application/json" };

class Trip {
  readonly #url: string;
  readonly #id: string = `trip-${crypto.randomUUID()}`;

  constructor(url: string) {
    this.#url = url;
  }

  async start(fields: object): Promise<void> {
    const body = JSON.stringify({ handler_id: this.#id, start_event: fields });
    const response = await fetch(`${this.#url}/workflows/trip/run-nowait`, { method: "POST", headers, body });
    expect(response.ok).toBe(true);
  }

  async read(): Promise<Handler> {
    return (await (await fetch(`${this.#url}/handlers/${this.#id}`)).json()) as Handler;
  }

  async answer(promptId: string, fields: object): Promise<void> {
    const path = `/handlers/${this.#id}/prompts/${encodeURIComponent(promptId)}`;
    const response = await fetch(this.#url + path, { method: "POST", headers, body: JSON.stringify({ fields }) });
    expect(response.ok).toBe(true);
  }

  async cancel(): Promise<void> {
    await fetch(`${this.#url}/handlers/${this.#id}/cancel`, { method: "POST", headers, body: "{}" });
  }
}

describe("a run that asks another agent", () => {
  it.each([100, 400, 700, 1_000, 1_400])("is killed after %i ms, and begins one task", async (afterMs) => {
    await using desk = await KillableProcess.start("desk-process.ts");
    await using here = await KillableProcess.start("asking-process.ts", desk.url);
    const trip = new Trip(here.url);
    await trip.start({ city: "Rome", wordMs: 200 });

    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await here.kill();
    await here.start();

    const asked = async () => (await trip.read()).prompts;
    await expect.poll(async () => (await asked()).length, { timeout: 20_000 }).toBe(1);
    const [prompt] = await asked();
    expect(prompt?.event.value.title).toBe("Book a flight to Rome for 99 €?");
    await here.kill();
    await here.start();
    await trip.answer(prompt?.prompt_id as string, { approved: true });
    await expect.poll(async () => (await trip.read()).status, { timeout: 20_000 }).toBe("completed");
    expect((await trip.read()).result?.value.result).toMatchObject({ data: { ticket: "T-Rome", price: 99 } });
    expect(desk.effects.map((line) => line.split(" ")[0])).toEqual(["search", "pay"]);
  });

  it("goes on when the other agent was killed, too", async () => {
    await using desk = await KillableProcess.start("desk-process.ts");
    await using here = await KillableProcess.start("asking-process.ts", desk.url);
    const trip = new Trip(here.url);
    await trip.start({ city: "Nice", wordMs: 100 });
    await expect.poll(() => desk.effects.length, { timeout: 10_000 }).toBe(1);

    await desk.kill();
    await desk.start();

    await expect.poll(async () => (await trip.read()).prompts.length, { timeout: 20_000 }).toBe(1);
    const [prompt] = (await trip.read()).prompts;
    await trip.answer(prompt?.prompt_id as string, { approved: true });
    await expect.poll(async () => (await trip.read()).status, { timeout: 20_000 }).toBe("completed");
  });

  it("is cancelled after its process has died: the task of the other agent is cancelled", async () => {
    await using desk = await KillableProcess.start("desk-process.ts");
    await using here = await KillableProcess.start("asking-process.ts", desk.url);
    const trip = new Trip(here.url);
    await trip.start({ city: "Linz" });
    await expect.poll(async () => (await trip.read()).prompts.length, { timeout: 20_000 }).toBe(1);

    await here.kill();
    await here.start();
    await trip.cancel();

    const client = await clientOf(desk.url, "JSONRPC");
    const list = { tenant: "", contextId: "", status: 0, pageToken: "", statusTimestampAfter: undefined };
    const states = async () => (await client.listTasks(list)).tasks.map(({ status }) => status?.state);
    await expect.poll(states, { timeout: 20_000 }).toEqual([TaskState.TASK_STATE_CANCELED]);
  });
});
