import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RefundFlow } from "./human-in-the-loop.js";
import { runExample } from "./test/run-example.js";
import { temporaryFolder } from "./test/temporary-folder.js";

describe("human in the loop", () => {
  it("asks in one process and ends in another", async () => {
    const { output } = await runExample("human-in-the-loop.ts");

    expect(output).toMatch(/process \d+ asks: .*ApproveRefund/s);
    expect(output).toMatch(/process \d+ answers: accepted\n/);
    expect(output).toMatch(/process \d+ has the result: A-17: refunded 80 euros, says Ada\n$/);
    expect(new Set(output.match(/process \d+/g)).size).toBe(2);
  });

  it("writes the run to a file of plain JSON", async () => {
    const file = join(temporaryFolder("refund-"), "refund.json");

    const { exitCode } = await runExample("human-in-the-loop.ts", { args: ["ask", file] });

    expect(exitCode).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8")).prompts).toMatchObject([
      { asks: "ApproveRefund", order: "A-17", euros: 80 },
    ]);
  });

  it("does not ask about a small amount", async () => {
    expect(await new RefundFlow().run({ order: "B-2", euros: 5 })).toBe("B-2: refunded 5 euros");
  });

  it("refuses a second click on the same prompt", async () => {
    const handler = new RefundFlow().run({ order: "A-17", euros: 80 });
    const outcome = await handler.idle();
    const [prompt] = outcome.status === "waiting" ? outcome.prompts : [];

    const first = await handler.answer(prompt!.promptId, { approved: false, by: "Ada" });
    const second = await handler.answer(prompt!.promptId, { approved: true, by: "Bob" });

    expect(first).toMatchObject({ status: "accepted" });
    expect(second).toMatchObject({ status: "refused" });
    expect(await handler).toBe("A-17: refused by Ada");
  });
});
