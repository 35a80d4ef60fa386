/** The built application over HTTP, in processes that are killed and ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModel } from "./scripted-model.ts";

/** Starts the application, with the same store each time. */
async function openApp(modelUrl: string) {
  const port = await freePort();
  const DATABASE = join(mkdtempSync(join(tmpdir(), "refunds-")), "runs.db");
  const env = { ...process.env, PORT: String(port), DATABASE, MODEL_URL: modelUrl };
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(process.execPath, ["dist/main.js"], { env, stdio: ["ignore", "ignore", "inherit"] });
    await expect.poll(() => fetch(`${url}/flows/health`).then(({ ok }) => ok, String), { timeout: 30_000 }).toBe(true);
  };
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const show = async (id: string) => (await fetch(`${url}/refunds/${id}`)).json();
  await start();
  return { start, end, post, show, [Symbol.asyncDispose]: () => end("SIGKILL") };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

const text = "The lamp is broken. I want my 80 euros back!";
const waiting = { status: "waiting", questions: ["Refund 80 euros?"] };

it.each([
  [true, "refunded 80 euros"],
  [false, "refused"],
])(
  "a letter that is answered with %s after a kill is %s, and the model is asked once",
  async (approved, result) => {
    using model = await startModel();
    await using app = await openApp(model.url);
    const { id } = await app.post("/refunds", { text });
    await expect.poll(() => app.show(id), { timeout: 10_000 }).toEqual(waiting);

    await app.end("SIGKILL");
    await app.start();
    await app.post(`/refunds/${id}/approval`, { approved });

    await expect.poll(() => app.show(id), { timeout: 10_000 }).toEqual({ status: "completed", result });
    expect(model.asked).toHaveLength(1);
  },
  60_000,
);

it("a step that runs at SIGTERM ends before the process does", async () => {
  using model = await startModel({ answerMs: 1_000 });
  await using app = await openApp(model.url);
  const { id } = await app.post("/refunds", { text });
  await expect.poll(() => model.asked.length, { timeout: 10_000 }).toBe(1);

  await app.end("SIGTERM");
  await app.start();

  await expect.poll(() => app.show(id), { timeout: 10_000 }).toEqual(waiting);
  expect(model.asked).toHaveLength(1);
}, 60_000);
