import "./support/dom.js";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, expect, it } from "vitest";
import { createClient, type Flows } from "../src/index.js";
import { type UseRun, type UseRunOptions, useRun } from "../src/react.js";
import {
  type Asked,
  afterOf,
  frame,
  handlerRecord,
  json,
  type Listening,
  lastFrame,
  listen,
  openSse,
} from "./support/listen.js";

type Run = UseRun<Flows, string>;

afterEach(cleanup);

/** In strict mode: every effect runs twice. */
function show(server: Listening, options: UseRunOptions = {}) {
  const client = createClient({ baseUrl: server.baseUrl, retry: { delayMs: 1 } });
  const seen: Run[] = [];
  const use = (shown: UseRunOptions): void => void seen.push(useRun(client, "joke", shown));
  const { unmount, rerender } = renderHook(use, { wrapper: StrictMode, initialProps: options });
  return { now: () => seen.at(-1) as Run, seen, unmount, rerender };
}

const isStream = ({ path }: Asked): boolean => path.startsWith("/events/");
const isStart = ({ method, path }: Asked): boolean => method === "POST" && path.startsWith("/workflows/");

it("starts a run and shows its events, its result and where it stands", async () => {
  await using server = await listen((asked, response) => {
    if (isStart(asked)) return json(response, 200, handlerRecord("running"));
    if (!isStream(asked)) return json(response, 200, handlerRecord("completed"));
    openSse(response);
    response.end(frame(0) + lastFrame(1));
  });
  const { now, seen } = show(server);
  expect(now()).toMatchObject({ status: "idle", handlerId: null, events: [], prompts: [] });

  let handlerId = "";
  act(() => {
    handlerId = now().start({ topic: "pirates" });
  });

  await waitFor(() => expect(now().status).toBe("completed"));
  expect(now()).toMatchObject({ handlerId, result: "done", error: undefined });
  expect(now().events.map(({ sequence }) => sequence)).toEqual([0, 1]);
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(["idle", "starting", "running", "completed"]));
  expect(server.asked.filter(isStart)).toHaveLength(1);
});

it("shows the prompts that are open, and goes on when one is answered", async () => {
  const prompt = (id: string) => ({ prompt_id: id, run_id: "h", event: { type: "AskName", value: { question: id } } });
  let answered = "";
  let tell = (): void => {};
  await using server = await listen((asked, response) => {
    const { path, method } = asked;
    if (method === "POST") {
      answered = path;
      json(response, 200, { status: "accepted", sequence: 5 });
      return tell();
    }
    if (!isStream(asked)) {
      const open = answered === "" ? { waiting: true, prompts: [prompt("p2")] } : { result: null };
      return json(response, 200, handlerRecord(answered === "" ? "running" : "completed", open));
    }
    openSse(response);
    if (asked.query.get("until") === "idle") return void response.end();
    // The first one was answered by somebody else, long ago.
    response.write(frame(0, { prompt_id: "p1" }) + frame(1, { prompt_id: "p2" }));
    tell = () => response.end(lastFrame(2));
  });
  const { now } = show(server, { handlerId: "h" });

  await waitFor(() => expect(now().prompts.map(({ promptId }) => promptId)).toEqual(["p2"]));
  expect(now().status).toBe("waiting");
  await act(async () => void (await now().answer("p2", { name: "Ada" })));

  await waitFor(() => expect(now().status).toBe("completed"));
  expect(answered).toBe("/handlers/h/prompts/p2");
  expect(now().prompts).toEqual([]);
});

it("shows why a run failed, and why a start was refused", async () => {
  await using server = await listen((asked, response) => {
    if (isStart(asked)) return json(response, 400, { detail: "No.", code: "EVENT_INVALID" });
    if (isStream(asked)) return void response.writeHead(204).end();
    json(response, 200, handlerRecord("failed", { error: "It is raining.", error_code: "STEP_FAILED" }));
  });
  const { now } = show(server, { handlerId: "h" });

  await waitFor(() => expect(now().status).toBe("failed"));
  expect(now().error).toMatchObject({ name: "WorkflowError", code: "STEP_FAILED" });
  act(() => void now().start({}));

  await waitFor(() => expect(now().error).toMatchObject({ name: "ClientError", code: "EVENT_INVALID" }));
  act(() => now().reset());
  expect(now()).toMatchObject({ status: "idle", error: undefined });
});

it("stops reading when the component is gone, and not the run", async () => {
  let open = 0;
  await using server = await listen((_, response) => {
    open += 1;
    response.on("close", () => (open -= 1));
    openSse(response);
    response.write(frame(0));
  });
  const { now, unmount } = show(server, { handlerId: "h" });
  await waitFor(() => expect(now().events).toHaveLength(1));

  unmount();

  await expect.poll(() => open).toBe(0);
  expect(server.asked.every(({ method }) => method === "GET")).toBe(true);
});

it("follows the id that it is given, and starts at the beginning of another run", async () => {
  await using server = await listen((asked, response) => {
    if (!isStream(asked)) return json(response, 200, handlerRecord("completed", { handler_id: asked.path.slice(10) }));
    openSse(response);
    response.end(lastFrame(afterOf(asked) + 1));
  });
  const { now, rerender } = show(server, { handlerId: "a" });
  await waitFor(() => expect(now()).toMatchObject({ status: "completed", handlerId: "a" }));

  rerender({ handlerId: "b" });

  await waitFor(() => expect(now()).toMatchObject({ status: "completed", handlerId: "b" }));
  expect(now().events.map(({ sequence }) => sequence)).toEqual([0]);
});

it("cancels the run that it shows", async () => {
  let end = (): void => {};
  let cancelled = false;
  await using server = await listen((asked, response) => {
    if (asked.method === "POST") {
      cancelled = true;
      json(response, 200, { status: "cancelled" });
      return end();
    }
    if (!isStream(asked)) return json(response, 200, handlerRecord(cancelled ? "cancelled" : "running"));
    openSse(response);
    response.write(frame(0));
    end = () => response.end(frame(1, { type: "WorkflowCancelledEvent", types: ["StopEvent"] }));
  });
  const { now } = show(server, { handlerId: "h" });
  await waitFor(() => expect(now().events).toHaveLength(1));

  await act(() => now().cancel());

  await waitFor(() => expect(now().status).toBe("cancelled"));
  expect(now().error).toMatchObject({ code: "RUN_CANCELLED" });
});

it("renders a few times for thousands of events, and keeps the last ones", async () => {
  const many = 5_000;
  await using server = await listen((asked, response) => {
    if (!isStream(asked)) return json(response, 200, handlerRecord("completed"));
    openSse(response);
    for (let sequence = 0; sequence < many; sequence++) response.write(frame(sequence));
    response.end(lastFrame(many));
  });

  const { now, seen } = show(server, { handlerId: "h", keepEvents: 100 });

  await waitFor(() => expect(now().status).toBe("completed"), { timeout: 10_000 });
  expect(now().events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 100 }, (_, index) => many - 99 + index),
  );
  expect(seen.length).toBeLessThan(many / 10);
});
