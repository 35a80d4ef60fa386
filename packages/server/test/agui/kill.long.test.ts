/**
 * The server is killed in the middle of an answer, and while an interrupt waits, over SQLite. The real client then has
 * the messages of an undisturbed run, and the model was asked again only for the answer that was under way.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { DeskServer } from "../../../ai-sdk/test/support/desk-server.js";
import { scriptedModel } from "../../../ai-sdk/test/support/scripted-model.js";
import { Client } from "./support.js";

const script = [
  'think Let me see.; call look {"q":1}; call look {"q":2}; call pay {"n":5}',
  'think Nearly.; call look {"q":3}',
  "say It is all done now.",
].join(" | ");

const processFile = fileURLToPath(new URL("process.ts", import.meta.url));

/** Runs the agent until the server has answered to the end: after a lost connection, without anything new. */
async function untilAnswered(client: Client, run: () => Promise<unknown>): Promise<void> {
  for (let attempt = run; ; attempt = () => client.runAgent()) {
    const heard = client.heard.length;
    const isCut = await attempt().then(
      () => !/^RUN_(FINISHED|ERROR)$/.test(client.types.slice(heard).at(-1) ?? ""),
      () => true, // the server is away
    );
    if (!isCut) return;
    await sleep(100);
  }
}

/** @param killAt Number of the event after which the server is killed; 0: never. "wait": while the interrupt waits. */
async function play(killAt: number | "wait") {
  await using model = await scriptedModel({ tokenMs: 2 });
  await using server = await DeskServer.start(model.url, "", processFile);
  const client = new Client({ url: `${server.url}/agui/desk`, threadId: "t1" });
  let count = 0;
  let killed: Promise<void> | null = null;
  client.subscribe({
    onEvent: () => {
      if (++count === killAt) killed = server.kill().then(() => server.start());
    },
  });
  await untilAnswered(client, () => client.say(script));
  await killed;
  if (killAt === "wait") {
    await server.kill();
    await server.start();
  }
  const resume = client.pendingInterrupts.map(({ id }) => ({
    ...{ interruptId: id, status: "resolved" as const },
    payload: { approved: true },
  }));
  const resumed = () => client.runAgent(client.pendingInterrupts.length > 0 ? { resume } : {});
  for (let isCut = true; isCut; ) {
    const heard = client.heard.length;
    await resumed().catch(() => {}); // the server is away; what was heard says whether it has answered
    isCut = client.types.slice(heard).at(-1) !== "RUN_FINISHED";
    await sleep(100);
  }
  await killed;
  const loaded = new Client({ url: `${server.url}/agui/desk`, threadId: "t1" });
  await untilAnswered(loaded, () => loaded.runAgent());
  const requests = model.requests.map((messages) => JSON.stringify(messages));
  const [messages, loadedMessages] = [client.messages, loaded.messages].map(textOf);
  return { count, messages, loaded: loadedMessages, requests, executed: server.executed };
}

/** As text: byte by byte, but for the order of the fields, which the client sorts in some events. */
const textOf = (messages: readonly object[]): string =>
  JSON.stringify(messages.map((message) => Object.fromEntries(Object.entries(message).sort())));

it("the messages are those of an undisturbed run, wherever the server is killed", async () => {
  const calm = await play(0);
  expect(calm.loaded).toBe(calm.messages);
  expect(calm.messages).toContain("It is all done now.");
  expect(calm.requests).toHaveLength(3);

  const kills = casesOf(10);
  const stride = Math.ceil(calm.count / kills);
  const places = Array.from({ length: kills }, (_, index) => 1 + index * stride).filter((place) => place <= calm.count);
  for (const killAt of [...places, "wait" as const]) {
    const { messages, loaded, requests, executed } = await play(killAt);

    expect([killAt, loaded]).toEqual([killAt, calm.messages]);
    expect([killAt, messages]).toEqual([killAt, calm.messages]);
    expect(new Set(requests)).toEqual(new Set(calm.requests));
    expect(requests.length).toBeLessThanOrEqual(calm.requests.length + (killAt === "wait" ? 0 : 1));
    expect(new Set(executed)).toEqual(new Set(calm.executed));
  }
}, 600_000);
