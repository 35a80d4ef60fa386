/** The serverless form in a Durable Object, in workerd. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Handler } from "../src/index.js";

let script: string;
beforeAll(async () => {
  const entryPoints = [fileURLToPath(new URL("child/object.ts", import.meta.url))];
  const options = { bundle: true, write: false, format: "esm", target: "es2022", logLevel: "error" } as const;
  const built = await build({ entryPoints, ...options });
  script = built.outputFiles[0]?.text as string;
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-object-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function start(folder: string): Miniflare {
  const named = (className: string) => ({ className, useSQLite: true });
  return new Miniflare({
    modules: true,
    script,
    compatibilityDate: "2026-01-01",
    durableObjects: { refund: named("Refund"), nap: named("Nap") },
    durableObjectsPersist: folder,
  });
}

interface Told {
  readonly status: number;
  readonly body: Handler;
}

async function ask(worker: Miniflare, address: string, body?: object): Promise<Told> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await worker.dispatchFetch(`http://${address}`, init);
  return { status: response.status, body: (await response.json()) as Handler };
}

describe("createHandler in a Durable Object", () => {
  it("pauses in one process of workerd, and goes on in the next", async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    const orders = ["A-1", "B-2", "C-3"];
    const asked = await Promise.all(orders.map((order) => ask(first, "refund/", { kwargs: { order } })));
    await first.dispose();
    expect(asked).toEqual(orders.map(() => expect.objectContaining({ status: 202 })));

    const second = start(folder);
    onTestFinished(() => second.dispose());
    const answers = asked.map(({ body: { handler_id, prompts } }) => ({
      handler_id,
      prompt_id: prompts[0]?.prompt_id,
      fields: { approved: true },
    }));
    const answered = await Promise.all(answers.map((answer) => ask(second, "refund/", answer)));

    const results = orders.map((order) => ({ value: { result: `refunded ${order}` } }));
    expect(answered).toMatchObject(results.map((result) => ({ status: 200, body: { status: "completed", result } })));
    expect(await ask(second, "refund/", answers[0])).toMatchObject({ status: 409, body: { code: "PROMPT_CLOSED" } });
  });

  it("goes on by the alarm of the object when a timer is due", async () => {
    const worker = start(temporaryFolder());
    onTestFinished(() => worker.dispose());
    // Later than the second for which a request waits itself.
    const { body } = await ask(worker, "nap/", { kwargs: { ms: 1_500 } });
    expect(body).toMatchObject({ status: "running", wake_at: expect.any(String) });

    const look = () => ask(worker, `nap/?handler_id=${body.handler_id}`);
    await vi.waitFor(async () => expect(await look()).toMatchObject({ status: 200 }), { timeout: 40_000 });
    expect(await look()).toMatchObject({ body: { status: "completed", result: { value: { result: "rested" } } } });
  });
});
