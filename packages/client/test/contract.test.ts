import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient, type EachRunFilter, type StreamedEvent } from "../src/index.js";
import { AskName, type Counted, GotName, Joke, Letter, Rated, type workflows } from "./child/workflows.js";
import { ServerProcess } from "./support/server-process.js";

let server: ServerProcess;
let client: Client<typeof workflows>;

beforeAll(async () => {
  server = await ServerProcess.start();
  client = createClient<typeof workflows>({ baseUrl: server.baseUrl });
});
afterAll(() => server[Symbol.asyncDispose]());

async function toArray<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const typesOf = (items: readonly StreamedEvent<{ readonly type: string }>[]): string[] =>
  items.map(({ event }) => event.type);

describe("against a server", () => {
  it("runs, streams and gives the stop event", async () => {
    const run = client.run("joke", { topic: "pirates" });

    const items = await toArray(run.stream());

    expect(items.map(({ sequence, event }) => [sequence, event])).toEqual([
      [0, { type: "Joke", text: "a dry joke about pirates", toldAt: new Date(0) }],
      [1, { type: "Rated", joke: "a dry joke about pirates", stars: 3 }],
    ]);
    expect(await run).toEqual({ type: "Rated", joke: "a dry joke about pirates", stars: 3 });
    expect(await toArray(client.handle(run.handlerId).stream({ after: 0 }))).toHaveLength(1);
    expect(await toArray(client.handle(run.handlerId).stream({ after: 1 }))).toHaveLength(0);
  });

  it("gives instances of the classes that it knows", async () => {
    const events = { Joke, Rated };
    const typed = createClient<typeof workflows, typeof events>({ baseUrl: server.baseUrl, events });

    const run = typed.run("joke", { topic: "pirates", tone: "wet" });
    const [first] = await toArray(run.stream());

    expect(first?.event).toBeInstanceOf(Joke);
    expect(await run).toBeInstanceOf(Rated);
  });

  it("asks, is answered once, and ends", async () => {
    const run = client.run("greet");

    const outcome = await run.idle();
    const [prompt] = await run.prompts();

    expect(outcome).toMatchObject({ status: "waiting", prompts: [prompt], wakeAtMs: null });
    expect(prompt).toEqual({
      promptId: expect.any(String),
      event: expect.objectContaining({ type: "AskName", question: "Who is there?" }),
      runId: run.handlerId,
      step: expect.any(String),
      askedAtMs: expect.any(Number),
      dueAtMs: null,
      answer: { type: "GotName", schema: expect.objectContaining({ title: "GotName", required: ["name"] }) },
    });
    const promptId = prompt?.promptId as string;
    expect(await run.answer(promptId, { name: "Ada" }, { key: "click" })).toMatchObject({ status: "accepted" });
    expect(await run).toBe("Hello Ada");
    expect(await run.answer(promptId, { name: "Eve" })).toMatchObject({ status: "refused" });
    const [shown] = await toArray(run.stream());
    expect(shown).toMatchObject({ promptId, event: { type: "AskName" } });
    expect(AskName.type).toBe("AskName");
  });

  it("delivers a message with one key once", async () => {
    const run = client.run("greet");
    const outcome = await run.idle();
    if (outcome.status !== "waiting") throw new TypeError(outcome.status);
    const promptId = outcome.prompts[0]?.promptId as string;

    const [first, second] = await Promise.all(
      [1, 2].map(() => run.answer(promptId, { name: "Ada" }, { key: "double click" })),
    );

    expect(first).toEqual(second);
    expect(await run).toBe("Hello Ada");
  });

  it("brings in events: plain, as instances, with a date; and hears of refusals", async () => {
    const plain = client.run("mailbox");
    const instance = client.run("mailbox");

    const receipts = [
      await plain.sendEvent({ type: "Letter", text: "news", sentAt: new Date("1999-05-05") }),
      await instance.sendEvent(new Letter({ text: "bills" })),
    ];

    expect(receipts).toEqual([
      expect.objectContaining({ status: "accepted" }),
      expect.objectContaining({ status: "accepted" }),
    ]);
    expect(await plain).toBe("got news of 1999");
    expect(await instance).toBe("got bills of some day");
    expect(await plain.sendEvent({ type: "Letter", text: "late" })).toMatchObject({
      status: "refused",
      code: "RUN_FINISHED",
    });
    await expect(client.run("greet").sendEvent({ type: "Nonsense" })).rejects.toMatchObject({
      code: "EVENT_UNKNOWN",
      status: 400,
    });
    await expect(client.run("greet").sendEvent({ type: "StartEvent" })).rejects.toMatchObject({
      code: "EVENT_NOT_SENDABLE",
      status: 400,
    });
    expect(GotName.type).toBe("GotName");
  });

  it("cancels, and resumes with the work kept", async () => {
    const run = client.run("greet");
    await run.idle();

    await run.cancel({ reason: "enough" });
    await run.cancel();

    await expect(run).rejects.toMatchObject({ name: "WorkflowError", code: "RUN_CANCELLED", handlerId: run.handlerId });
    expect(await run.summary()).toMatchObject({ status: "cancelled", workflow: "greet" });
    const resumed = client.resume(run.handlerId);
    const outcome = await resumed.idle();
    if (outcome.status !== "waiting") throw new TypeError(outcome.status);
    await resumed.answer(outcome.prompts[0]?.promptId as string, { name: "Bob" });
    expect(await resumed).toBe("Hello Bob");
    expect(typesOf(await toArray(run.stream()))).toEqual(["AskName", "StepRestartedEvent", "StopEvent"]);
  });

  it("fails with the code of the run, and retries", async () => {
    const run = client.run("fragile");

    await expect(run).rejects.toMatchObject({ name: "WorkflowError", code: "STEP_FAILED", message: "it is broken" });
    await client.run("mend");
    const again = client.retry(run.handlerId);

    expect(await again).toBe("whole");
    expect(typesOf(await toArray(run.stream())).at(-1)).toBe("StopEvent");
    await expect(client.retry(run.handlerId).accepted).rejects.toMatchObject({
      code: "RUN_NOT_RETRYABLE",
      status: 409,
    });
  });

  it("forks where a run was, with another state", async () => {
    const run = client.run("mailbox");
    await run.idle();
    const entries = await toArray(client.history(run.handlerId, { pageSize: 1 }));
    expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1));

    const at = entries.at(-1)?.number as number;
    const fork = client.fork(run.handlerId, { at, state: { prefix: "forked" } });
    await fork.sendEvent({ type: "Letter", text: "news" });

    expect(await fork).toBe("forked news of some day");
    expect(await run.summary()).toMatchObject({ status: "waiting" });
    expect(await client.snapshot(run.handlerId)).toMatchObject({});
  });

  it("looks back at a run: its attempts, a moment of it, what each tick changed", async () => {
    const run = client.run("mailbox");
    await run.idle();
    const entries = await toArray(client.history(run.handlerId, { changes: true }));
    const attempts = await toArray(client.attempts(run.handlerId));
    const moment = await client.at(run.handlerId, entries.at(-1)?.number ?? 0);

    expect(entries[0]?.changes?.[0]).toMatchObject({ path: [expect.any(String)], new: expect.anything() });
    expect(attempts.at(-1)).toMatchObject({ runId: run.handlerId, status: "waiting", isFinal: false, endedAtMs: null });
    expect(attempts.at(-1)?.waits.at(-1)).toMatchObject({ kind: "event", toMs: null, fromMs: expect.any(Number) });
    expect(moment).toMatchObject({ status: "running", isWaiting: true, next: [] });
    expect(moment.steps.map(({ waiting }) => waiting).reduce((sum, one) => sum + one)).toBe(1);
    expect((await client.at(run.handlerId, 1)).next).toMatchObject([
      { item: 1, event: { type: "StartEvent" }, isEditable: false, reason: expect.stringContaining("callers") },
    ]);
    expect(moment.closed).toEqual([]);
    expect(await client.children(run.handlerId)).toEqual([]);
    await expect(client.at(run.handlerId, 999)).rejects.toMatchObject({ code: "OPTION_INVALID", status: 400 });

    const following = toArray(client.history(run.handlerId, { follow: true, after: entries.length }));
    await run.sendEvent({ type: "Letter", text: "news" });
    expect((await following).at(-1)?.tick.type).toBe("step.completed");
  });

  it("asks for a fork with another event, which the server may refuse", async () => {
    const run = client.run("mailbox");
    await run.idle();

    const fork = client.fork(run.handlerId, { at: 1, event: { anything: 1 }, item: 1 });

    await expect(fork.accepted).rejects.toMatchObject({ code: "EVENT_NOT_SENDABLE" });
  });

  it("asks for a fork that overrides a call, which the server may refuse", async () => {
    const run = client.run("mailbox");
    await run.idle();

    const fork = client.fork(run.handlerId, { at: 1, override: { item: 1, call: "run=m0", value: { model: "x" } } });

    await expect(fork.accepted).rejects.toMatchObject({ code: "STATE_CLOSED" });
  });

  it("starts one run for one id and key, and refuses another with that id", async () => {
    const options = { handlerId: `mine-${crypto.randomUUID()}`, key: "k1" };

    const first = client.run("joke", { topic: "cats" }, options);
    const second = client.run("joke", { topic: "cats" }, options);

    expect(await first).toEqual(await second);
    const third = client.run("joke", { topic: "cats" }, { handlerId: options.handlerId });
    await expect(third.accepted).rejects.toMatchObject({ code: "RUN_ID_CONFLICT", status: 409 });
  });

  it("makes one run of two calls with one key, and another of the same key for another workflow", async () => {
    const key = `double click ${crypto.randomUUID()}`;

    const clicks = [1, 2].map(() => client.run("greet", {}, { key }));
    const other = client.run("mend", {}, { key });
    await Promise.all([...clicks.map((run) => run.idle()), other]);

    expect(clicks[0]?.handlerId).toBe(clicks[1]?.handlerId);
    expect(other.handlerId).not.toBe(clicks[0]?.handlerId);
    const found = await toArray(client.eachRun({ workflow: "greet", waiting: true }));
    expect(found.filter(({ handlerId }) => handlerId.includes(key))).toHaveLength(1);
  });

  it("lists, pages and deletes", async () => {
    const ended = [client.run("mend"), client.run("mend"), client.run("mend")];
    await Promise.all(ended);

    const ids = new Set<string>();
    let cursor: string | null = null;
    do {
      const page = await client.runs({
        workflow: "mend",
        status: "completed",
        limit: 2,
        ...(cursor !== null && { cursor }),
      });
      for (const { handlerId } of page.runs) ids.add(handlerId);
      cursor = page.cursor;
    } while (cursor !== null);

    const [first] = ended;
    expect([...ids]).toEqual(expect.arrayContaining(ended.map(({ handlerId }) => handlerId)));
    await client.delete(first?.handlerId as string);
    await client.delete(first?.handlerId as string);
    await expect(first?.summary()).rejects.toMatchObject({ code: "RUN_UNKNOWN", status: 404 });
  });

  it("finds runs by their labels, by whether they wait, and by when they were made", async () => {
    const batch = crypto.randomUUID();
    const startedAt = new Date(Date.now() - 60_000);
    const waits = client.run("greet", {}, { labels: { batch, customer: "Ö=1" } });
    await waits.idle(); // the older one
    const ended = client.run("mend", {}, { labels: { batch } });
    await ended;
    const find = async (filter: EachRunFilter<keyof typeof workflows>): Promise<string[]> =>
      (await toArray(client.eachRun({ labels: { batch }, pageSize: 1, ...filter }))).map(({ handlerId }) => handlerId);

    expect(await find({})).toEqual([ended.handlerId, waits.handlerId]);
    expect(await find({ waiting: true })).toEqual([waits.handlerId]);
    expect(await find({ waiting: false })).toEqual([ended.handlerId]);
    expect(await find({ labels: { batch, customer: "Ö=1" } })).toEqual([waits.handlerId]);
    expect(await find({ labels: { batch, customer: "nobody" } })).toEqual([]);
    expect(await find({ workflow: ["mend", "joke"] })).toEqual([ended.handlerId]);
    expect(await find({ createdAfter: startedAt })).toHaveLength(2);
    expect(await find({ createdBefore: startedAt })).toEqual([]);
    expect(await waits.summary()).toMatchObject({ labels: { batch, customer: "Ö=1" } });
  });

  it("gives a result anew, and stops to wait for it with a signal of its own", async () => {
    const run = client.run("greet");
    const stopping = new AbortController();

    const waiting = run.result({ signal: stopping.signal });
    await run.idle();
    stopping.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const [prompt] = await run.prompts();
    await run.answer(prompt?.promptId as string, { name: "Ada" });

    expect(await run.result()).toBe("Hello Ada");
    expect(await client.handle(run.handlerId).result()).toBe("Hello Ada");
  });

  it("describes the workflows", async () => {
    expect((await client.workflows()).toSorted()).toEqual([
      "broken",
      "count",
      "fragile",
      "greet",
      "joke",
      "mailbox",
      "mend",
      "poet",
    ]);
    expect(await client.schema("joke")).toMatchObject({ start: { properties: { topic: {} } }, stop: {} });
    expect((await client.events("joke")).map(({ title }) => title)).toEqual(expect.arrayContaining(["Topic", "Joke"]));
    expect(await client.representation("joke")).toMatchObject({ graph: { name: "joke" }, mermaid: expect.any(String) });
    expect(await client.health()).toEqual({ status: "healthy" });
  });

  it("lets a page of another origin read when to come back", async () => {
    const { headers } = await fetch(`${server.baseUrl}/health`, { headers: { origin: "https://app.example" } });

    expect(headers.get("access-control-expose-headers")?.toLowerCase()).toBe("retry-after");
  });

  it("fails where the server refuses", async () => {
    const loose = createClient({ baseUrl: server.baseUrl });

    await expect(loose.run("nothing")).rejects.toMatchObject({ code: "WORKFLOW_UNKNOWN", status: 404 });
    await expect(loose.run("joke", {})).rejects.toMatchObject({ code: "EVENT_INVALID", status: 400 });
    await expect(toArray(loose.handle("nobody").stream())).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  });

  it("waits over a restart of the server", async () => {
    const patient = createClient<typeof workflows>({ baseUrl: server.baseUrl, retry: { maxAttempts: 20 } });
    const run = patient.run("greet");
    const outcome = await run.idle();
    if (outcome.status !== "waiting") throw new TypeError(outcome.status);
    const result = run.then((text) => text);

    await server.restart();
    await run.answer(outcome.prompts[0]?.promptId as string, { name: "Ada" });

    expect(await result).toBe("Hello Ada");
  });

  it("waits for more runs than it gets streams", async () => {
    await using small = await ServerProcess.start({ streamsPerClient: 2 });
    const waiting = createClient<typeof workflows>({ baseUrl: small.baseUrl, retry: { maxAttempts: 1 } });
    const counts = Array.from({ length: 5 }, (_, index) => waiting.run("count", { to: 1_000 + index }));
    const asking = waiting.run("greet");
    const asked = await asking.idle();
    if (asked.status !== "waiting") throw new TypeError(asked.status);

    const results = Promise.all([...counts, asking]);
    await asking.answer(asked.prompts[0]?.promptId as string, { name: "Ada" });

    expect(await results).toEqual([1_000, 1_001, 1_002, 1_003, 1_004, "Hello Ada"]);
  });

  it("types what a class streams when it is named", async () => {
    const run = client.run("count", { to: 3 });

    const counted: number[] = [];
    for await (const { event } of run.stream<Counted>()) {
      if (event.type === "Counted") counted.push(event.number);
    }

    expect(counted).toEqual([1, 2, 3]);
    expect(await run).toBe(3);
  });
});
