/** What is in the file when texts are encrypted, and what becomes of a file that somebody has changed. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { defineWorkflow, event, QuestionEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, type EncryptionOptions, encryptedStore, type RunStore, type StoreKey } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { sqliteStore } from "../src/index.js";
import { temporaryFile } from "./files.js";

const keyOf = (id: string, fill: number): StoreKey => ({ id, key: new Uint8Array(32).fill(fill) });
const first = keyOf("2026", 1);
const second = keyOf("2027", 2);
const large = "secret-large ".repeat(20_000);

class Order extends StartEvent.define("Order", { card: z.string() }) {}
class Shown extends event("Shown", { text: z.string() }) {}

/** Everything that it handles says "secret". */
const flow = defineWorkflow("flow", {
  state: { note: z.string().default("") },
  index: { card: ({ card }: Order) => card },
})
  .step("work", { on: Order, emits: StopEvent, streams: Shown }, async ({ card }, ctx) => {
    await ctx.store.set("note", `secret-state ${card}`);
    ctx.writeEventToStream(new Shown({ text: "secret-event" }));
    await ctx.run("large", () => large);
    await ctx.run("refused", () => Promise.reject(new TypeError("secret-failure"))).catch(() => {});
    const { answer } = await ctx.ask({ title: "secret-question", schema: { answer: z.string() } });
    if (answer === "fail") throw new TypeError("secret-error");
    return new StopEvent({ result: `secret-result ${answer}` });
  })
  .build();

function open(file: string, options: EncryptionOptions | null = { keys: [first] }) {
  const logged: unknown[] = [];
  const log = { info: () => {}, error: (...given: unknown[]) => void logged.push(...given) };
  const plain = sqliteStore(file, { pollMs: 50 });
  const store: RunStore = options === null ? plain : encryptedStore(plain, options);
  const runtime = createRuntime({ workflows: { flow }, store, log });
  onTestFinished(async () => {
    await runtime.stop();
    await store.close();
  });
  return { store, runtime, logged };
}

type Opened = ReturnType<typeof open>;

async function ask({ runtime }: Opened, runId: string) {
  const handle = runtime.run("flow", { card: "secret-card" }, { runId, labels: { order: "A-17" } });
  expect(await handle.idle()).toMatchObject({ status: "waiting" });
}

async function answer({ runtime }: Opened, runId: string, text: string) {
  const handle = runtime.handle(runId);
  const [prompt] = await handle.prompts();
  expect(QuestionEvent.is(prompt?.event) && prompt.event.title).toBe("secret-question");
  return handle.answer(prompt?.promptId ?? "", { answer: text });
}

function bytesOf(file: string): string {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return readFileSync(file, "latin1");
}

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe("the file", () => {
  it("holds no input, state, event, call, question, answer, result or error", async () => {
    const file = temporaryFile();
    const opened = open(file);
    for (const runId of ["done", "failed", "open"]) await ask(opened, runId);
    await answer(opened, "done", "secret-answer");
    await answer(opened, "failed", "fail");
    await expect(opened.runtime.handle("failed")).rejects.toThrow("secret-error");
    await opened.store.writeRecords([{ tenant: "", kind: "note", id: "1", expected: 0, text: '"secret-record"' }]);

    expect(await opened.runtime.handle("done")).toBe("secret-result secret-answer");
    expect(await opened.store.record({ tenant: "", kind: "note", id: "1" })).toMatchObject({ text: '"secret-record"' });
    expect(bytesOf(file)).not.toContain("secret");
    expect(bytesOf(file)).toContain("A-17"); // labels stay readable
  });

  it("holds all of it without encryption, so that the test above can fail", async () => {
    const file = temporaryFile();
    await ask(open(file, null), "open");

    for (const what of ["card", "state", "event", "question", "large"])
      expect(bytesOf(file)).toContain(`secret-${what}`);
  });

  it("is continued by another process with the same key", async () => {
    const file = temporaryFile();
    const before = open(file);
    await ask(before, "r");
    await before.runtime.stop();
    const after = open(file);
    await after.runtime.start();
    await answer(after, "r", "now");

    expect(await after.runtime.handle("r")).toBe("secret-result now");
  });

  it("finds runs by their input, of which it holds hashes that differ between tenants", async () => {
    const file = temporaryFile();
    const { runtime } = open(file);
    for (const tenant of ["a", "b"]) {
      const options = { runId: tenant, tenant };
      expect(await runtime.run("flow", { card: "secret-card" }, options).idle()).toMatchObject({ status: "waiting" });
      const { runs } = await runtime.runs({ tenant, input: { card: "secret-card" } });
      expect(runs.map(({ runId }) => runId)).toEqual([tenant]);
    }
    expect((await runtime.runs({ tenant: "a", input: { card: "secret-car" } })).runs).toEqual([]);
    const database = new DatabaseSync(file);
    const values = database.prepare("SELECT DISTINCT value FROM input_values WHERE name = 'card'").all();
    database.close();

    expect(values).toHaveLength(2);
    expect(bytesOf(file)).not.toContain("secret");
  });

  it("finds them after a new key was added, and with a key of its own for them", async () => {
    const file = temporaryFile();
    const found = async ({ runtime }: Opened) =>
      (await runtime.runs({ input: { card: "secret-card" } })).runs.map(({ runId }) => runId);
    const before = open(file);
    await ask(before, "r");
    await before.runtime.stop();
    const rotated = open(file, { keys: [second, first] });
    await ask(rotated, "s");
    expect(await found(rotated)).toEqual(["s", "r"]);
    await rotated.runtime.stop();

    expect(await found(open(file, { keys: [second], indexKey: first.key }))).toEqual(["s", "r"]);
    expect(await found(open(file, { keys: [second] }))).toEqual([]);
  });

  it("is searched by ids, labels and messages of errors", async () => {
    const file = temporaryFile();
    const opened = open(file);
    for (const runId of ["one", "two"]) await ask(opened, runId);
    await answer(opened, "two", "fail");
    await expect(opened.runtime.handle("two")).rejects.toThrow();
    const found = async (search: string) => (await opened.runtime.runs({ search })).runs.map(({ runId }) => runId);

    expect(await found("secret-error")).toEqual(["two"]);
    expect(await found("a-17")).toEqual(["two", "one"]);
    expect(await found("on")).toEqual(["one"]);
  });
});

describe("a key", () => {
  it("that is new encrypts, while the old one still decrypts", async () => {
    const file = temporaryFile();
    const before = open(file);
    await ask(before, "r");
    await before.runtime.stop();
    const after = open(file, { keys: [second, first] });
    await answer(after, "r", "rotated");

    expect(await after.runtime.handle("r")).toBe("secret-result rotated");
    expect(bytesOf(file)).toMatch(/~1\.2027\./);
    expect(bytesOf(file)).toMatch(/~1\.2026\./);
  });

  it.each([
    ["is missing", [second], /needs the key "2026"/],
    ["is another one of the same id", [keyOf("2026", 9)], /is not what was encrypted with the key "2026"/],
  ])("that %s reads nothing, and says which is needed", async (_what, keys, message) => {
    const file = temporaryFile();
    await ask(open(file), "r");
    const { store } = open(file, { keys });

    await expect(store.run({ tenant: "", runId: "r" })).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringMatching(message),
    });
  });

  it("is refused unless it has 32 bytes and an id of its own", () => {
    const store = {} as RunStore;
    const tried = (keys: unknown) => () => encryptedStore(store, { keys } as EncryptionOptions);

    for (const keys of [
      [],
      [{ id: "a", key: "short" }],
      [{ id: "", key: first.key }],
      [first, first],
      [null],
      undefined,
    ])
      expect(tried(keys)).toThrow(/keys/);
    expect(tried([{ id: "a", key: Buffer.from(first.key).toString("base64") }])).not.toThrow();
  });
});

describe("somebody who can write into the file", () => {
  const swapped = "UPDATE runs SET waiting = (SELECT waiting FROM runs WHERE run_id = 'two') WHERE run_id = 'one'";

  it.each([
    ["puts a text of another run there", swapped],
    ["puts a text of their own there", `UPDATE runs SET waiting = '{"prompts":[]}' WHERE run_id = 'one'`],
    [
      "changes a text",
      "UPDATE runs SET waiting = replace(waiting, substr(waiting, 20, 4), 'AAAA') WHERE run_id = 'one'",
    ],
  ])("%s: the run cannot be read", async (_what, sql) => {
    const file = temporaryFile();
    const before = open(file);
    for (const runId of ["one", "two"]) await ask(before, runId);
    await before.runtime.stop();
    execute(file, sql);
    const { store } = open(file);

    await expect(store.run({ tenant: "", runId: "one" })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(await store.run({ tenant: "", runId: "two" })).not.toBeNull();
  });
});

it("a store from before is read where plain texts are accepted", async () => {
  const file = temporaryFile();
  const before = open(file, null);
  await ask(before, "r");
  await before.runtime.stop();
  const refusing = open(file);
  await expect(refusing.store.run({ tenant: "", runId: "r" })).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    hint: expect.stringContaining("plain"),
  });
  await refusing.runtime.stop();
  const accepting = open(file, { keys: [first], plain: "accept" });
  await answer(accepting, "r", "late");

  expect(await accepting.runtime.handle("r")).toBe("secret-result late");
});

/** As after a lost key, or when somebody has changed one row: the others must not wait for it. */
describe("a run that cannot be read", () => {
  const broken = "UPDATE runs SET waiting = '{\"prompts\":[]}', wake_at = 1 WHERE run_id = 'two'";
  const lost = "UPDATE ticks SET text = replace(text, '~1.2026.', '~1.gone.')";
  const ofTwo = " WHERE run IN (SELECT id FROM runs WHERE run_id = 'two')";

  it("is listed, says what is wrong when it is read, and holds up no other", async () => {
    const file = temporaryFile();
    const before = open(file);
    for (const runId of ["one", "two", "three"]) await ask(before, runId);
    await before.runtime.stop();
    execute(file, broken);
    execute(file, lost + ofTwo);
    execute(file, "UPDATE runs SET wake_at = 1");
    const opened = open(file);
    const { runtime, store, logged } = opened;
    await runtime.start();

    expect((await runtime.runs()).runs.map(({ runId }) => runId).toSorted()).toEqual(["one", "three", "two"]);
    for (const runId of ["one", "three"]) {
      await answer(opened, runId, "yes");
      expect(await runtime.handle(runId)).toBe("secret-result yes");
    }
    await expect(store.run({ tenant: "", runId: "two" })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await expect(runtime.handle("two").prompts()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(String(logged)).toContain('Run "two" of "flow" could not be loaded.');
    expect(String(logged)).toContain('(two ticks 1) needs the key "gone"');
  });
});
