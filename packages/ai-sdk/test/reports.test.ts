/** What users of other chats have reported, tried here. */
import { afterEach, expect, it } from "vitest";
import { faults, lastText, openApprovals, toolStates } from "./support/chats.js";
import { openAgent } from "./support/open-agent.js";

afterEach(() => expect(faults.splice(0)).toEqual([]));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function openSlow(tokensUntilHalf: number) {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  const world = await openAgent({ tokenMs: 5, onToken: (count) => count === tokensUntilHalf && reached() });
  return { ...world, half };
}

interface Requested {
  readonly role: string;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** Calls without a result, which providers refuse. */
function unanswered(messages: readonly Requested[]): number {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  return calls.length - messages.filter(({ role }) => role === "tool").length;
}

it("vercel/ai#18457: a page that ends with the answer before does not show it twice when it resumes", async () => {
  await using world = await openSlow(30);
  const first = world.page("c1");
  await first.sendMessage({ text: "say One." });
  const second = world.page("c1", { messages: await world.messages("c1") });
  const sent = first.sendMessage({ text: `say ${"word ".repeat(60)}end.` });
  await world.half;

  await second.resumeStream();
  await sent;

  expect(second.messages.map(({ id }) => id)).toEqual(["c1-m0", "chat.c1.1", "chat.c1.2"]);
  expect(plain(second.messages[1])).toEqual(plain(first.messages[1]));
  expect(plain(second.messages[2])).toEqual(plain(first.messages[3]));
});

it("vercel/ai#13863: a page that resumes twice at once shows one answer", async () => {
  await using world = await openSlow(20);
  const first = world.page("c1");
  const sent = first.sendMessage({ text: `say ${"word ".repeat(60)}end.` });
  await world.half;
  const second = world.page("c1", { messages: await world.messages("c1") });

  await Promise.all([second.resumeStream(), second.resumeStream()]);
  await sent;

  expect(plain(second.messages)).toEqual(plain(first.messages));
});

it("vercel/ai#7665: an answer that was resumed after a reload can be stopped", async () => {
  await using world = await openSlow(20);
  void world.page("c1").sendMessage({ text: `say ${"word ".repeat(2000)}` });
  await world.half;
  const reloaded = world.page("c1", { messages: await world.messages("c1") });
  const resumed = reloaded.resumeStream();

  await world.fetch("/api/chat/c1/stream", { method: "DELETE" });
  await resumed;

  expect([reloaded.status, lastText(reloaded)]).toEqual(["ready", expect.stringMatching(/^(word )+$/)]);
  expect((await world.messages("c1")).at(-1)?.metadata).toMatchObject({ stopped: true });
});

it.each([
  ["vercel/eve#236", true, "output-available"],
  ["cloudflare/agents#955", false, "output-denied"],
])("%s: each call has a result in later requests when a person has said %s", async (_report, approved, state) => {
  await using world = await openAgent();
  const page = world.page("c1");
  await page.sendMessage({ text: 'call pay {"n":1}; call pay {"n":2} | say Done.' });
  for (const id of openApprovals(page)) await page.addToolApprovalResponse({ id, approved });
  await expect.poll(() => lastText(page)).toBe("Done.");
  expect(toolStates(page)).toEqual([`pay: ${state}`, `pay: ${state}`]);
  await expect.poll(() => page.status).toBe("ready");

  await page.sendMessage({ text: "say Next." });

  expect(world.model.requests).toHaveLength(3);
  expect(world.model.requests.map((messages) => unanswered(messages))).toEqual([0, 0, 0]);
});

it("assistant-ui#5046: an approval that nobody has answered is there after a reload", async () => {
  await using world = await openAgent();
  await world.page("c1").sendMessage({ text: 'call pay {"n":1} | say Paid.' });

  const reloaded = world.page("c1", { messages: await world.messages("c1") });
  await reloaded.resumeStream();

  expect([reloaded.status, toolStates(reloaded)]).toEqual(["ready", ["pay: approval-requested"]]);
});
