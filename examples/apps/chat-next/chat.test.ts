/** The chat as a page uses it, without a browser, in front of a server that is killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chat } from "@ai-sdk/react";
import { ChatTransport, isAnswered } from "@millrace/ai-sdk/client";
import { isToolUIPart, type UIMessage } from "ai";
import { expect, it } from "vitest";
import { startModel } from "./scripted-model.ts";

/** Starts the server, with the same chats each time. */
async function openServer(modelUrl: string) {
  const port = await freePort();
  const DATABASE = join(mkdtempSync(join(tmpdir(), "chat-")), "chats.db");
  const env = { ...process.env, PORT: String(port), DATABASE, MODEL_URL: modelUrl };
  const url = `http://127.0.0.1:${port}`;
  let child: ReturnType<typeof spawn>;
  const start = async () => {
    child = spawn(process.execPath, ["node_modules/next/dist/bin/next", "start"], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    await expect.poll(() => fetch(`${url}/api/chat`).then(({ ok }) => ok, String), { timeout: 30_000 }).toBe(true);
  };
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await start();
  return { url, start, kill, [Symbol.asyncDispose]: kill };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

const textOf = ({ messages }: Chat<UIMessage>): string =>
  (messages.at(-1)?.parts ?? []).flatMap((part) => (part.type === "text" ? part.text : [])).join(" ");

const callOf = ({ messages }: Chat<UIMessage>) => messages.at(-1)?.parts.find(isToolUIPart);

it.each([
  [true, "output-available", /48 euros are on their way/],
  [false, "output-denied", /nothing was paid back/],
])(
  "a refund that is answered with %s after a kill is %s, and no call of the model is paid twice",
  async (approved, state, text) => {
    using model = await startModel();
    await using server = await openServer(model.url);
    const transport = new ChatTransport({ api: `${server.url}/api/chat` });
    const chat = new Chat<UIMessage>({ transport, sendAutomaticallyWhen: isAnswered });
    await chat.sendMessage({ text: "My lamp is broken, I want a refund." });
    expect(callOf(chat)).toMatchObject({ state: "approval-requested", input: { order: "L-1042", euros: 48 } });

    await server.kill();
    await server.start();
    await chat.addToolApprovalResponse({ id: callOf(chat)?.approval?.id ?? "", approved });

    await expect.poll(() => textOf(chat), { timeout: 30_000 }).toMatch(text);
    expect(callOf(chat)).toMatchObject({ state });
    expect(model.answered).toEqual([expect.stringMatching(/sorry/), expect.stringMatching(text)]);
  },
  90_000,
);
