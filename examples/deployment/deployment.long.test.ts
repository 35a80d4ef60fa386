/** The program of the page about deployment, in processes of its own that are told to end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../test-ports.js";
import { temporaryFolder } from "../test/temporary-folder.js";

const program = fileURLToPath(new URL("main.ts", import.meta.url));
const poll = { timeout: 30_000, interval: 50 };

interface Deployed {
  readonly process: ChildProcess;
  readonly origin: string;
  printed(): string;
  /** The exit code. */
  ended(): Promise<number | null>;
}

async function deploy(data: string, leaveMs = 0): Promise<Deployed> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), DATA: data, LEAVE_MS: String(leaveMs) };
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([code]) => code as number | null);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await expect.poll(() => text, poll).toContain("listens on");
  return { process: child, origin: `http://127.0.0.1:${port}`, printed: () => text, ended: () => ended };
}

function post(url: string, body: object, key?: string): Promise<Response> {
  const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

const start = ({ origin }: Deployed) =>
  post(`${origin}/workflows/shop/run-nowait`, { handler_id: "order-7", start_event: { id: "7" } });
const handlerOf = async ({ origin }: Deployed) => (await fetch(`${origin}/handlers/order-7?wait=20000`)).json();

async function asked(deployed: Deployed): Promise<string> {
  await expect.poll(async () => (await handlerOf(deployed)).waiting, poll).toBe(true);
  return (await handlerOf(deployed)).prompts[0].prompt_id;
}

describe("deployment", () => {
  it("finishes the step that is at work, and the next process does not repeat it", async () => {
    const data = join(temporaryFolder("deployment-"), "runs.db");
    const old = await deploy(data);
    await start(old);
    await expect.poll(old.printed, poll).toContain("prints the label of 7");

    old.process.kill("SIGTERM");
    expect(await old.ended()).toBe(0);
    const next = await deploy(data);
    const prompt = await asked(next);
    await post(`${next.origin}/handlers/order-7/prompts/${prompt}`, { fields: { by: "Ada" } });

    await expect.poll(async () => (await handlerOf(next)).status, poll).toBe("completed");
    expect((await handlerOf(next)).result.value.result).toBe("label of 7, approved by Ada");
    expect(next.printed()).not.toContain("prints the label");
  });

  it("takes an answer that meets the end of the process once", async () => {
    const data = join(temporaryFolder("deployment-"), "runs.db");
    const old = await deploy(data);
    await start(old);
    const prompt = await asked(old);
    const answer = (deployed: Deployed, by: string) =>
      post(`${deployed.origin}/handlers/order-7/prompts/${prompt}`, { fields: { by } }, "click-1");

    const first = answer(old, "Ada").catch((error: Error) => error); // answered, or the connection has broken off
    old.process.kill("SIGTERM");
    await first;
    expect(await old.ended()).toBe(0);
    const next = await deploy(data);
    const again = await answer(next, "Ada");

    expect(again.status).toBe(200);
    await expect.poll(async () => (await handlerOf(next)).status, poll).toBe("completed");
    expect((await handlerOf(next)).result.value.result).toBe("label of 7, approved by Ada");
  });

  it("says that it is not ready, and answers until the balancer has noticed", async () => {
    const deployed = await deploy(join(temporaryFolder("deployment-"), "runs.db"), 600_000);
    const ready = async () => (await fetch(`${deployed.origin}/ready`)).status;
    expect(await ready()).toBe(204);

    deployed.process.kill("SIGTERM");

    await expect.poll(ready, poll).toBe(503);
    expect((await fetch(`${deployed.origin}/health`)).status).toBe(200);
    expect((await start(deployed)).status).toBe(200);
  });
});
