import { beforeEach, describe, expect, it } from "vitest";
import { createBookingServer, textsInMemory } from "./serverless.js";
import { runExample } from "./test/run-example.js";

describe("serverless", () => {
  let kept: Map<string, string>;
  let serve: (request: Request) => Promise<Response>;
  const post = (path: string, body: unknown) =>
    serve(new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(body) }));

  beforeEach(() => {
    kept = new Map();
    serve = createBookingServer(textsInMemory(kept));
  });

  it("prints the three answers", async () => {
    const { output } = await runExample("serverless.ts");

    expect(output).toMatch(
      /^202 ChooseRoom \[ 'attic', 'garden' \]\n200 The garden room is for Ada, 2 × 90 euros\.\n409 .+\n$/,
    );
  });

  it("keeps the whole run as text between two calls", async () => {
    const { runId, prompts } = await (await post("/runs", { guest: "Ada", nights: 1 })).json();
    const texts = [...kept.values()];

    const answered = await post(`/runs/${runId}/answers/${prompts[0].promptId}`, { room: "attic" });

    expect(texts).toHaveLength(1);
    expect(await answered.json()).toEqual({
      runId,
      status: "completed",
      result: "The attic room is for Ada, 1 × 90 euros.",
    });
  });

  it("says where a run stands", async () => {
    const { runId } = await (await post("/runs", { guest: "Ada", nights: 1 })).json();

    const view = await (await serve(new Request(`http://localhost/runs/${runId}`))).json();

    expect(view).toMatchObject({ runId, status: "waiting", prompts: [{ type: "ChooseRoom" }] });
  });

  it("stores one of two answers that come at once", async () => {
    const { runId, prompts } = await (await post("/runs", { guest: "Ada", nights: 1 })).json();
    const path = `/runs/${runId}/answers/${prompts[0].promptId}`;

    const answers = await Promise.all(["attic", "garden"].map((room) => post(path, { room })));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it("says which fields are wrong", async () => {
    const response = await post("/runs", { guest: "Ada", nights: "two" });

    expect(await response.json()).toMatchObject({ code: "EVENT_INVALID", details: { issues: [{ path: "nights" }] } });
  });

  it.each([
    ["/runs", null, 400],
    ["/runs", { guest: "Ada", nights: "two" }, 400],
    ["/runs/nobody/answers/1", { room: "attic" }, 404],
    ["/rooms", {}, 404],
  ])("answers POST %s %j with %i", async (path, body, status) => {
    expect((await post(path, body)).status).toBe(status);
  });
});
