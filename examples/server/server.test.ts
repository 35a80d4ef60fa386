import { createServer } from "node:net";
import { expect, it } from "vitest";
import { runExample } from "../test/run-example.js";

/** Below those that systems give to clients: nobody takes it while the server is away. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

it("shows every event once, although the server is killed", async () => {
  const { output, errors } = await runExample("server/main.ts", { args: [String(await freePort())] });

  expect(errors).toBe("");
  expect(output.split("\n")).toEqual([
    "0 Checked",
    "1 Approve",
    "the server was killed and is back",
    "2 StepRestartedEvent",
    "3 StopEvent",
    "80 euros for A-17",
    "",
  ]);
});
