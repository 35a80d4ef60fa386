/** A real server in a process of its own, behind a proxy that loses answers, and killed while it works. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "../src/index.js";
import type { workflows } from "./child/workflows.js";
import { type ChooseFault, FaultyProxy } from "./support/faulty-proxy.js";
import { ServerProcess } from "./support/server-process.js";

type TestClient = Client<typeof workflows>;

let server: ServerProcess;
/** Without faults between. */
let direct: TestClient;

beforeAll(async () => {
  server = await ServerProcess.start();
  direct = createClient<typeof workflows>({ baseUrl: server.baseUrl });
});
afterAll(() => server[Symbol.asyncDispose]());

async function behind(choose: ChooseFault): Promise<AsyncDisposable & { client: TestClient; proxy: FaultyProxy }> {
  const proxy = new FaultyProxy(() => server.baseUrl, choose);
  const retry = { delayMs: 5, maxDelayMs: 50, maxAttempts: 10_000 };
  const client = createClient<typeof workflows>({ baseUrl: await proxy.open(), retry });
  return { client, proxy, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

async function toArray<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** How often each of these has happened to a run. */
async function happened(handlerId: string, ...types: string[]): Promise<number[]> {
  const ticks = (await toArray(direct.history(handlerId))).map(({ tick }) => tick.type);
  return types.map((type) => ticks.filter((one) => one === type).length);
}

async function askedOf(client: TestClient, handlerId: string): Promise<string> {
  const outcome = await client.handle(handlerId).idle();
  if (outcome.status !== "waiting") throw new TypeError(outcome.status);
  return outcome.prompts[0]?.promptId as string;
}

/** The first answer is lost, the second one, too, and one between them is a refusal of the proxy. */
const loseAnswers: ChooseFault = (times) => (["swallow", 503, "swallow", 429] as const)[times] ?? "pass";

describe("when answers are lost", () => {
  it("a run is started once", async () => {
    await using faulty = await behind(loseAnswers);
    const batch = crypto.randomUUID();

    const run = faulty.client.run("joke", { topic: "cats" }, { labels: { batch } });

    expect(await run).toMatchObject({ type: "Rated", stars: 3 });
    expect(await toArray(direct.eachRun({ labels: { batch } }))).toMatchObject([{ handlerId: run.handlerId }]);
    expect(faulty.proxy.done.swallowed).toBeGreaterThanOrEqual(2);
    expect(faulty.proxy.done.refused).toBeGreaterThanOrEqual(2);
  });

  it("an event is delivered once, and so is an answer", async () => {
    await using faulty = await behind(loseAnswers);
    const [mailbox, greet] = [direct.run("mailbox"), direct.run("greet")];
    await Promise.all([mailbox.accepted, greet.accepted]);
    const promptId = await askedOf(direct, greet.handlerId);

    const receipts = [
      await faulty.client.handle(mailbox.handlerId).sendEvent({ type: "Letter", text: "news" }),
      await faulty.client.handle(greet.handlerId).answer(promptId, { name: "Ada" }),
    ];

    // Delivered a second time, they would have been refused: the runs are at their ends.
    expect(receipts.map(({ status }) => status)).toEqual(["accepted", "accepted"]);
    expect(await mailbox).toBe("got news of some day");
    expect(await greet).toBe("Hello Ada");
    expect(await happened(mailbox.handlerId, "event.received")).toEqual(
      await happened(greet.handlerId, "event.received"),
    );
  });

  it("a run is cancelled once and resumed once, also when the other came between", async () => {
    await using faulty = await behind(loseAnswers);
    const run = direct.run("greet");
    await run.idle();

    await faulty.client.handle(run.handlerId).cancel();
    const resumed = faulty.client.resume(run.handlerId);
    const promptId = await askedOf(faulty.client, resumed.handlerId);
    await resumed.answer(promptId, { name: "Bob" });

    expect(await resumed).toBe("Hello Bob");
    expect(await happened(run.handlerId, "run.cancelled", "run.resumed")).toEqual([1, 1]);
  });

  it("a failed run is retried once, although it fails again", async () => {
    await using faulty = await behind(loseAnswers);
    const run = direct.run("broken");
    await expect(run).rejects.toMatchObject({ code: "STEP_FAILED" });

    await expect(faulty.client.retry(run.handlerId)).rejects.toMatchObject({ code: "STEP_FAILED" });

    expect(await happened(run.handlerId, "run.retried", "step.failed")).toEqual([1, 2]);
  });

  it("a run is forked once", async () => {
    await using faulty = await behind(loseAnswers);
    const batch = crypto.randomUUID();
    const run = direct.run("mailbox", {}, { labels: { batch } });
    await run.idle();
    const at = (await toArray(direct.history(run.handlerId))).length;

    const fork = faulty.client.fork(run.handlerId, { at });
    await fork.sendEvent({ type: "Letter", text: "news" });

    expect(await fork).toBe("got news of some day");
    expect(await toArray(direct.eachRun({ labels: { batch } }))).toHaveLength(2);
  });

  it("reading gives the same, and a run is deleted", async () => {
    await using faulty = await behind(loseAnswers);
    const run = direct.run("joke", { topic: "cats" }, { labels: { of: "reading" } });
    await run;
    const read = async (client: TestClient): Promise<unknown[]> => {
      const same = client.handle(run.handlerId);
      return Promise.all([
        same.summary(),
        same.prompts(),
        same.idle(),
        same.result(),
        toArray(same.stream()),
        toArray(client.history(run.handlerId)),
        client.snapshot(run.handlerId),
        client.workflows(),
        client.schema("joke"),
        client.events("joke"),
        client.representation("joke"),
        client.runs({ labels: { of: "reading" } }),
      ]);
    };

    expect(await read(faulty.client)).toEqual(await read(direct));
    await faulty.client.delete(run.handlerId);
    await expect(run.summary()).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  });
});

describe("when the server is killed", () => {
  const patient = (): TestClient =>
    createClient<typeof workflows>({
      baseUrl: server.baseUrl,
      retry: { delayMs: 20, maxDelayMs: 200, maxAttempts: 10_000 },
    });

  it("a run that is started while it is down runs when it is up again", async () => {
    await server.kill();

    const run = patient().run("joke", { topic: "dogs" });
    await server.restart();

    expect(await run).toMatchObject({ joke: "a dry joke about dogs" });
  });

  it("those who wait for a run go on waiting, and an answer arrives", async () => {
    const client = patient();
    const run = client.run("greet");
    await run.accepted; // another handle knows nothing of a start that is under way
    const promptId = await askedOf(client, run.handlerId);
    const waiting = [
      run.result(),
      client.handle(run.handlerId).result(),
      toArray(run.stream()).then(({ length }) => length),
    ];

    await server.kill();
    const answered = run.answer(promptId, { name: "Ada" });
    await server.restart();

    expect(await answered).toMatchObject({ status: "accepted" });
    expect(await Promise.all(waiting)).toEqual(["Hello Ada", "Hello Ada", expect.any(Number)]);
  });

  it("in the middle of a stream, each of several readers gets every event once and in order", async () => {
    const client = patient();
    const run = client.run("count", { to: 1_000 });
    await run.accepted; // another handle knows nothing of a start that is under way
    const killed: Promise<void>[] = [];
    const read = async (kills: boolean): Promise<number[]> => {
      const seen: number[] = [];
      for await (const { sequence } of client.handle(run.handlerId).stream()) {
        seen.push(sequence);
        if (kills && (seen.length === 200 || seen.length === 600)) killed.push(server.restart());
      }
      return seen;
    };

    const [first, ...others] = await Promise.all([read(true), read(false), read(false)]);
    await Promise.all(killed);

    expect(killed).toHaveLength(2);
    expect(first).toEqual(first?.map((_, index) => index));
    expect(others).toEqual([first, first]);
    expect(await run).toBe(1_000);
  });
});
