/** Another answer, edited messages, and two pages that write at once. */
import { afterEach, expect, it } from "vitest";
import { faults, lastText } from "./support/chats.js";
import { openAgent } from "./support/open-agent.js";

afterEach(() => expect(faults.splice(0)).toEqual([]));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const rolesOf = (messages: readonly { readonly role: string }[] | undefined) => messages?.map(({ role }) => role);

it("regenerates the last answer, without what it has said before", async () => {
  await using world = await openAgent();
  const page = world.page("c1");
  await page.sendMessage({ text: "say One." });
  await page.sendMessage({ text: "say Two." });

  await page.regenerate();

  expect(page.messages.map(({ id }) => id)).toEqual(["c1-m0", "chat.c1.1", "c1-m2", "chat.c1.3"]);
  expect(await world.messages("c1")).toEqual(plain(page.messages));
  expect(rolesOf(world.model.requests.at(-1))).toEqual(["user", "assistant", "user"]);
});

it("regenerates an earlier answer, and drops what came after it", async () => {
  await using world = await openAgent();
  const page = world.page("c1");
  await page.sendMessage({ text: "say One." });
  await page.sendMessage({ text: "say Two." });

  await page.regenerate({ messageId: "chat.c1.1" });

  expect(page.messages.map(({ id }) => id)).toEqual(["c1-m0", "chat.c1.3"]);
  expect(await world.messages("c1")).toEqual(plain(page.messages));
});

it("edits an earlier message, and the model does not hear of what was there", async () => {
  await using world = await openAgent();
  const page = world.page("c1");
  await page.sendMessage({ text: "say One." });
  await page.sendMessage({ text: "say Two." });

  await page.sendMessage({ text: "say Other.", messageId: "c1-m0" });

  expect(lastText(page)).toBe("Other.");
  expect(page.messages.map(({ id }) => id)).toEqual(["c1-m0", "chat.c1.3"]);
  expect(await world.messages("c1")).toEqual(plain(page.messages));
  expect(rolesOf(world.model.requests.at(-1))).toEqual(["user"]);
});

it("an edit ends an answer that is at work", async () => {
  let reached = (): void => {};
  const half = new Promise<void>((resolve) => (reached = resolve));
  await using world = await openAgent({ tokenMs: 5, onToken: (count) => count === 10 && reached() });
  const page = world.page("c1");
  const sent = page.sendMessage({ text: `say ${"word ".repeat(2000)}` });
  await half;

  await page.stop();
  await sent;
  await page.sendMessage({ text: "say Other.", messageId: "c1-m0" });

  expect(lastText(page)).toBe("Other.");
  expect(await world.runtime.handle("chat.c1.1").outcome()).toMatchObject({ status: "cancelled" });
});

it("of two pages that write at once, one is answered, and the other is told that the chat is busy", async () => {
  await using world = await openAgent({ tokenMs: 2 });
  const pages = [world.page("c1"), world.page("c1")];

  await Promise.all(
    pages.map((page, index) =>
      page.sendMessage({ id: `own-${index}`, parts: [{ type: "text", text: "say One two three." }] }),
    ),
  );

  expect(pages.map(({ status }) => status).sort()).toEqual(["error", "ready"]);
  const refused = pages.find(({ status }) => status === "error");
  expect(JSON.parse(refused?.error?.message ?? "")).toMatchObject({ code: "CHAT_BUSY" });
  expect(await world.messages("c1")).toHaveLength(2);
  expect(world.model.requests).toHaveLength(1);
});

it("files reach the model, and come back with the message", async () => {
  await using world = await openAgent();
  const page = world.page("c1");
  const url = "data:image/png;base64,iVBORw0KGgo=";

  await page.sendMessage({
    text: "say Nice.",
    files: [{ type: "file", mediaType: "image/png", url, filename: "a.png" }],
  });

  expect(JSON.stringify(world.model.requests[0])).toContain("iVBORw0KGgo=");
  expect(await world.messages("c1")).toEqual(plain(page.messages));
});
