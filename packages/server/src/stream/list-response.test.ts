import type { Runtime } from "millrace/runtime";
import type { HandlerRecord } from "millrace/wire";
import { expect, it } from "vitest";
import { listResponse } from "./list-response.js";
import { changed, type LiveRuns, type RunListener } from "./live-runs.js";

/** A stream of which a test decides what it delivers, opened, and not read since. */
async function open() {
  let listener: RunListener | undefined;
  const live = {
    add: async (_: string, given: RunListener) => {
      listener = given;
      return () => {};
    },
  };
  const { body } = listResponse({
    live: live as unknown as LiveRuns,
    runtime: { watch: () => () => {} } as unknown as Runtime,
    tenant: "",
    filter: {} as never,
    heartbeatMs: 60_000,
    onOpen: () => () => {},
    onError: (error) => expect.fail(String(error)),
  });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const next = async (): Promise<string[]> => {
    const text = new TextDecoder().decode((await reader.read()).value);
    return text.split("\n").filter((line) => line.startsWith("event: "));
  };
  expect(await next()).toEqual(["event: open"]);
  return { next, take: (run: HandlerRecord) => listener?.take(changed(run)) };
}

const run = (id: string, characters = 0): HandlerRecord =>
  ({
    handler_id: id,
    labels: {},
    error: null,
    result: "x".repeat(characters),
    started_at: "",
  }) as unknown as HandlerRecord;

it("a reader that does not read must begin again, once much or many changes wait for it", async () => {
  const { next, take } = await open();
  for (const id of ["a", "b", "c"]) take(run(id, 400_000));
  take(run("d"));
  expect(await next()).toEqual(["event: reset", "event: changed"]);

  for (let number = 0; number < 1_001; number++) take(run(`r${number}`));
  expect(await next()).toEqual(["event: reset"]);
});

it("a run that changes often waits once, however large it is", async () => {
  const { next, take } = await open();
  for (let time = 0; time < 10; time++) take(run("a", 2_000_000));
  expect(await next()).toEqual(["event: changed"]);

  for (let time = 0; time < 10; time++) take(run("a", 400_000));
  take(run("b", 400_000));
  expect(await next()).toEqual(["event: changed", "event: changed"]);
});
