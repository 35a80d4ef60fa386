/** Asking where a run stands, over real HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess } from "./server-process.js";

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server[Symbol.asyncDispose]());

describe("looking at a run that waits", () => {
  it("writes nothing, however often somebody asks", async () => {
    const { handler_id: id } = (await server.start("mailbox")).body;
    await server.get(`/events/${id}?until=idle`);
    const before = (await server.get(`/handlers/${id}/history?limit=1000`)).body;
    const paths = [`/handlers/${id}`, "/handlers?waiting=true", `/handlers/${id}/prompts`, `/handlers/${id}/snapshot`];

    const answers = await Promise.all([...paths, ...paths, ...paths].map((path) => server.get(path)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 202]));
    expect((await server.get(`/handlers/${id}/history?limit=1000`)).body).toEqual(before);
  });
});
