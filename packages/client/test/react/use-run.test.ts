import { createElement, version } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { createClient, type Flows } from "../../src/index.js";
import { type UseRun, type UseRunOptions, useRun } from "../../src/react.js";
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
} from "../support/listen.js";
import { showHook, Using, unmountAll } from "../support/show-hook.js";

type Run = UseRun<Flows, string>;

afterEach(unmountAll);

const waitFor = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 30_000 });

/** In strict mode: every effect runs twice. The client is made anew in each render. */
function show(server: Listening, options: UseRunOptions = {}) {
  const seen: Run[] = [];
  const use = (shown: UseRunOptions): void => {
    const client = createClient({ baseUrl: server.baseUrl, retry: { delayMs: 1 } });
    seen.push(useRun(client, "joke", shown));
  };
  const { unmount, rerender } = showHook(use, options);
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

  const handlerId = now().start({ topic: "pirates" });

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
  await now().answer("p2", { name: "Ada" });

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
  now().start({});

  await waitFor(() => expect(now().error).toMatchObject({ name: "ClientError", code: "EVENT_INVALID" }));
  now().reset();
  await waitFor(() => expect(now()).toMatchObject({ status: "idle", error: undefined }));
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

  rerender({ handlerId: null });
  await waitFor(() => expect(now()).toMatchObject({ status: "idle", handlerId: null, events: [] }));
});

it("keeps the run that was started here when it is given no id, or that one", async () => {
  await using server = await listen((asked, response) => {
    if (isStream(asked)) return void response.writeHead(204).end();
    json(response, 200, handlerRecord("completed"));
  });
  const { now, rerender } = show(server, { handlerId: null });
  const handlerId = now().start({});
  await waitFor(() => expect(now().status).toBe("completed"));
  const asked = server.asked.length;

  rerender({ handlerId });
  rerender({ handlerId, keepEvents: 1 });

  expect(now()).toMatchObject({ status: "completed", handlerId });
  expect(server.asked).toHaveLength(asked);
});

it("reads on when the browser is online again, behind what it has shown", async () => {
  let isDown = false;
  let streams: (() => void)[] = [];
  await using server = await listen((asked, response) => {
    if (isDown) return void response.destroy();
    if (!isStream(asked)) return json(response, 200, handlerRecord("completed"));
    openSse(response);
    if (afterOf(asked) === 0) return void response.end(lastFrame(1));
    response.write(frame(0));
    streams.push(() => response.destroy());
  });
  const { now } = show(server, { handlerId: "h" });
  await waitFor(() => expect(now().events).toHaveLength(1));

  isDown = true;
  for (const cut of streams) cut();
  streams = [];
  await waitFor(() => expect(now()).toMatchObject({ status: "failed", error: { code: "NETWORK_FAILED" } }));
  expect(now().events).toHaveLength(1);
  isDown = false;
  window.dispatchEvent(new window.Event("online"));

  await waitFor(() => expect(now()).toMatchObject({ status: "completed", result: "done", error: undefined }));
  expect(now().events.map(({ sequence }) => sequence)).toEqual([0, 1]);
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

  await now().cancel();

  await waitFor(() => expect(now().status).toBe("cancelled"));
  expect(now().error).toMatchObject({ code: "RUN_CANCELLED" });
});

it.each(["resume", "retry"] as const)(
  "goes on with %s, and shows the run again; a click is not an option",
  async (how) => {
    let standing = "cancelled";
    await using server = await listen((asked, response) => {
      if (asked.path.endsWith(how)) standing = "completed";
      if (isStream(asked)) return void response.writeHead(204).end();
      json(response, 200, handlerRecord(standing));
    });
    const { now } = show(server, { handlerId: "h" });
    await waitFor(() => expect(now().status).toBe("cancelled"));

    now()[how]({ preventDefault() {} } as never);

    await waitFor(() => expect(now()).toMatchObject({ status: "completed", handlerId: "h", result: "done" }));
    expect(server.asked.filter(({ path }) => path === `/handlers/h/${how}`)).toHaveLength(1);
  },
);

it("brings an event into the run that it shows", async () => {
  await using server = await listen((asked, response) => {
    if (asked.method === "POST") return json(response, 200, { status: "sent", sequence: 1 });
    openSse(response);
  });
  const { now } = show(server, { handlerId: "h" });
  await waitFor(() => expect(now().handlerId).toBe("h"));

  expect(await now().sendEvent({ type: "Letter", text: "news" })).toEqual({ status: "accepted", sequence: 1 });

  expect(server.asked.find(({ method }) => method === "POST")).toMatchObject({
    path: "/events/h",
    body: { event: { type: "Letter", value: { text: "news" } } },
  });
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

  await waitFor(() => expect(now().status).toBe("completed"));
  expect(now().events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 100 }, (_, index) => many - 99 + index),
  );
  expect(seen.length).toBeLessThan(many / 2); // one by one, in strict mode, it is twice as many
});

it("starts a run with the input that it is given: once, whatever is rendered again", async () => {
  await using server = await listen((asked, response) => {
    if (isStart(asked)) return json(response, 200, handlerRecord("running"));
    if (!isStream(asked)) return json(response, 200, handlerRecord("completed"));
    openSse(response);
    response.end(lastFrame(0));
  });

  const { now, rerender } = show(server, { input: { topic: "pirates" }, labels: { page: "home" } });
  rerender({ input: { topic: "ninjas" } });

  await waitFor(() => expect(now()).toMatchObject({ status: "completed", result: "done" }));
  const starts = server.asked.filter(isStart);
  expect(starts.map(({ body }) => body)).toEqual([
    { start_event: { topic: "pirates" }, labels: { page: "home" }, handler_id: now().handlerId },
  ]);
  now().reset();
  await waitFor(() => expect(now().status).toBe("idle"));
  now().start({ topic: "cats" });
  await waitFor(() => expect(now().status).toBe("completed"));
  expect(server.asked.filter(isStart)).toHaveLength(2);
});

it("starts it under the id that it is given, with a key, so that a second page finds the run of the first", async () => {
  await using server = await listen((asked, response) => {
    if (isStream(asked)) return void response.writeHead(204).end();
    json(response, 200, handlerRecord("completed"));
  });

  const pages = [1, 2].map(() => show(server, { input: {}, handlerId: "bestellung-ä" }));
  await waitFor(() => expect(pages.map(({ now }) => now().status)).toEqual(["completed", "completed"]));

  const starts = server.asked.filter(isStart);
  expect(starts.map(({ body }) => body)).toEqual(Array(2).fill({ start_event: {}, handler_id: "bestellung-ä" }));
  expect(starts.map(({ headers }) => headers["idempotency-key"])).toEqual(Array(2).fill("useRun bestellung-%C3%A4"));
});

it("is abandoned before the run is stored: the start goes through, and nothing is read", async () => {
  let store = (): void => {};
  await using server = await listen((asked, response) => {
    if (!isStart(asked)) return json(response, 200, { workflows: [] });
    store = () => json(response, 200, handlerRecord("running"));
  });
  const { unmount, seen } = show(server, { input: {} });
  await waitFor(() => expect(server.asked).toHaveLength(1));

  unmount();
  const renders = seen.length;
  store();
  await createClient({ baseUrl: server.baseUrl }).workflows();

  expect(server.asked.map(({ path }) => path)).toEqual(["/workflows/joke/run-nowait", "/workflows"]);
  expect(seen).toHaveLength(renders);
});

it("takes a click for a click, and no run to answer or cancel for an error", async () => {
  await using server = await listen((_, response) => json(response, 400, { detail: "No.", code: "EVENT_INVALID" }));
  const { now } = show(server);
  const onClick = now().start as (click: unknown) => string;

  await expect(now().answer("p")).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(now().cancel()).rejects.toMatchObject({ code: "OPTION_INVALID" });
  expect(() => now().retry()).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  onClick({ type: "click", preventDefault() {} });

  await waitFor(() => expect(now().error).toMatchObject({ code: "EVENT_INVALID" }));
  expect(server.asked[0]?.body).toMatchObject({ start_event: {} });
});

it("shows that an answer was refused, and that the prompt is gone", async () => {
  await using server = await listen((asked, response) => {
    if (asked.method === "POST") return json(response, 409, { detail: "Gone.", code: "PROMPT_CLOSED" });
    const prompts = [{ prompt_id: "p", run_id: "h", event: { type: "Ask", value: {} } }];
    if (!isStream(asked)) return json(response, 200, handlerRecord("running", { waiting: true, prompts }));
    openSse(response);
    if (asked.query.get("until") === "idle") return void response.end();
    response.write(frame(0, { prompt_id: "p" }));
  });
  const { now } = show(server, { handlerId: "h" });
  await waitFor(() => expect(now().prompts).toHaveLength(1));

  expect(await now().answer("p", { ok: true })).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });

  await waitFor(() => expect(now()).toMatchObject({ prompts: [], status: "running" }));
});

it("refuses options that cannot be meant", async () => {
  await using server = await listen(() => {});
  const client = createClient({ baseUrl: server.baseUrl });
  const use = () => useRun(client, "joke", { inputs: {}, keepEvents: -1 } as never);

  expect(() => renderToString(createElement(Using, { use }))).toThrow(
    "`inputs` is not an option (did you mean `input`?); `keepEvents` is -1, not a number from 0",
  );
});

it("shows no run where pages are made on a server, and starts none", async () => {
  await using server = await listen(() => {});
  const client = createClient({ baseUrl: server.baseUrl });
  const use = () => useRun(client, "joke", { input: {} }).status;

  expect(renderToString(createElement(Using, { use }))).toBe("idle");
  expect(server.asked).toHaveLength(0);
});

it("is tried with the React of this project", () => {
  expect(version).toMatch(process.env["REACT_MAJOR"] === "18" ? /^18\./ : /^19\./);
});
