/** What is asked of the history of a run, and how it is followed. */
import { describe, expect, it } from "vitest";
import { createClient } from "../src/index.js";
import { json, listen } from "./support/listen.js";

function clientOf(baseUrl: string) {
  return createClient({ baseUrl, retry: { delayMs: 1, maxDelayMs: 5 } });
}

describe("the history of a run", () => {
  it("sends the options of the history, and reads its entries", async () => {
    const ofStep = { step: "begin", item: 2, attempt: 1 };
    await using server = await listen((_request, response) => {
      json(response, 200, {
        entries: [{ number: 1, at: "1970-01-01T00:00:01.000Z", run_id: "h", ...ofStep, tick: { type: "t" } }],
        next: null,
      });
    });

    const options = { before: 9, types: ["step.failed", "run.started"], changes: true };
    const entries = [];
    for await (const entry of clientOf(server.baseUrl).history("h", options)) entries.push(entry);

    expect(entries).toEqual([{ number: 1, atMs: 1000, runId: "h", ...ofStep, tick: { type: "t" } }]);
    expect(Object.fromEntries(server.asked[0]?.query ?? [])).toEqual({
      after: "0",
      before: "9",
      types: "step.failed,run.started",
      changes: "true",
    });
  });

  it.each([
    [{}, [0, 1]],
    [{ after: 0 }, [1]],
  ])("shows how a fork began, and not behind number 0, also while it follows: %j", async (range, shown) => {
    const entries = [0, 1].map((number) => ({
      number,
      at: "1970-01-01T00:00:01.000Z",
      run_id: "h",
      tick: { type: "t" },
    }));
    await using server = await listen(({ query, headers }, response) => {
      if (!query.has("sse")) return json(response, 200, { entries, next: null });
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const entry of entries.slice(headers["last-event-id"] === "0" ? 1 : 0))
        response.write(`id: ${entry.number}\ndata: ${JSON.stringify(entry)}\n\n`);
      response.end("event: end\ndata: {}\n\n");
    });

    for (const follow of [false, true]) {
      const numbers: number[] = [];
      for await (const { number } of clientOf(server.baseUrl).history("h", { ...range, follow })) numbers.push(number);
      expect(numbers, `follow: ${follow}`).toEqual(shown);
    }
  });

  it("follows the history over connections that are cut, to its end", async () => {
    const frame = (number: number) =>
      `id: ${number}\ndata: ${JSON.stringify({ number, at: "1970-01-01T00:00:01.000Z", run_id: "h", step: "s", item: 1, attempt: 1, tick: { type: "t" } })}\n\n`;
    let connections = 0;
    await using server = await listen((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        connections++ === 0
          ? `retry: 1000\n\n${frame(0)}${frame(1)}`
          : `${frame(1)}${frame(2)}event: end\ndata: {}\n\n`,
      );
    });

    const numbers: number[] = [];
    for await (const { number, step } of clientOf(server.baseUrl).history("h", { follow: true })) {
      expect(step).toBe("s");
      numbers.push(number);
    }

    expect(numbers).toEqual([0, 1, 2]);
    expect(server.asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1"]);
  });
});
