import { expect, it, vi } from "vitest";
import * as surface from "../src/index.js";
import { chain } from "./support/flows.js";

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual(["connect", "createRestateHost"]);
});

it("names every option of a host that is wrong", () => {
  const options = {
    workflows: {},
    rounds: 0,
    mode: "fast",
    history: { keep: -1 },
    round: 5,
    ingressPrivate: ["who"],
  } as never;

  expect(() => surface.createRestateHost(options)).toThrow(
    '`round` is not an option (did you mean `rounds`?); `workflows` is empty; `mode` is "fast", not one of rounds, slices; `rounds` is 0, not a whole number from 1; `history.keep` is -1, not a whole number from 0; `ingressPrivate` must be a list of "start", "post", "read", "remove".',
  );
});

it("names every option of a client that is wrong", () => {
  const options = { workflows: { chain }, ingress: "localhost:8080", admin: 9070, pollMs: 1, pool: 3 } as never;

  expect(() => surface.connect(options)).toThrow(
    /`pool` is not an option.*`ingress` is "localhost:8080".*`admin` is 9070.*`pollMs` is 1/,
  );
});

it("says what it could not do where Restate is not there", async () => {
  const runtime = surface.connect({ workflows: { chain }, ingress: "http://127.0.0.1:9" });

  await expect(runtime.run("chain", { x: 1 })).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("Restate could not start run"),
  });
  await runtime.stop({ drainMs: 0 });
});

it("asks nobody for what is due, and refuses schedules and starts that count once", async () => {
  const log = { info: vi.fn(), error: vi.fn() };
  const runtime = surface.connect({ workflows: { chain }, ingress: "http://127.0.0.1:9", log });
  const refused = expect.objectContaining({
    code: "RESTATE_UNSUPPORTED",
    message: expect.stringContaining("schedules"),
  });
  const once = runtime.run("chain", { x: 1 }, { dedupe: { key: "one", for: "1m" } });

  expect(await runtime.start()).toBe(0);
  expect(await runtime.due()).toEqual({ wakeAtMs: null });
  await expect(once.accepted).rejects.toEqual(refused);
  await expect(
    runtime.schedules.set("daily", { workflow: "chain", input: { x: 1 }, cron: "0 9 * * *" }),
  ).rejects.toEqual(refused);
  await expect(runtime.schedules.get("daily")).rejects.toEqual(refused);
  await expect(runtime.schedules.list()).rejects.toEqual(refused);

  expect(log.error).not.toHaveBeenCalled();
  await runtime.stop({ drainMs: 0 });
});

it("refuses a queue, whose places nobody would give", async () => {
  const runtime = surface.connect({ workflows: { chain }, ingress: "http://127.0.0.1:9" });

  expect(() => runtime.run("chain", { x: 1 }, { queue: "llm", queueKey: "tenant" })).toThrow(
    expect.objectContaining({ code: "RESTATE_UNSUPPORTED", message: "A queue is not available for runs on Restate." }),
  );

  await runtime.stop({ drainMs: 0 });
});

it("refuses to fork a run, and to move one to it or from it, before it asks anybody", async () => {
  const fetch = vi.fn();
  const runtime = surface.connect({ workflows: { chain }, ingress: "http://127.0.0.1:9", fetch });
  const refused = expect.objectContaining({ code: "RESTATE_UNSUPPORTED" });

  expect(() => runtime.fork("run", { at: 1 })).toThrow(refused);
  expect(() => runtime.export("run")).toThrow(refused);
  await expect(runtime.import([])).rejects.toEqual(refused);

  expect(fetch).not.toHaveBeenCalled();
  await runtime.stop({ drainMs: 0 });
});
