/** Every route over real HTTP, against a server in a process of its own. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "./answer.types.js";
import { ServerProcess } from "./server-process.js";

let server: ServerProcess;
/** Waits for no run for long. */
let impatient: ServerProcess;
beforeAll(async () => {
  [server, impatient] = await Promise.all([ServerProcess.start(), ServerProcess.start({ limits: { runWaitMs: 400 } })]);
});
afterAll(async () => {
  for (const one of [server, impatient]) await one[Symbol.asyncDispose]();
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe("what there is", () => {
  it("answers that it is healthy", async () => {
    expect(await server.get("/health")).toMatchObject({ status: 200, body: { status: "healthy" } });
  });

  it("lists the workflows", async () => {
    expect((await server.get("/workflows")).body).toMatchObject({
      workflows: ["add", "refund", "count", "fail", "mailbox", "nap", "busy", "aside", "remind"],
    });
  });

  it("describes what starts and ends a run", async () => {
    const { body } = await server.get("/workflows/add/schema");

    expect(body.start).toEqual({
      title: "Add",
      type: "object",
      properties: { left: { type: "number" }, right: { type: "number", default: 1 } },
      required: ["left"],
    });
    expect(body.stop).toMatchObject({ title: "Sum", required: ["sum"] });
  });

  it("describes all events", async () => {
    const { body } = await server.get("/workflows/mailbox/events");

    expect(body.events.map(({ title }: { title: string }) => title).sort()).toEqual([
      "Letter",
      "Sent",
      "StartEvent",
      "StopEvent",
    ]);
    expect(body.events).toContainEqual(
      expect.objectContaining({ title: "Letter", properties: { text: { type: "string", maxLength: 100 } } }),
    );
  });

  it("draws the graph", async () => {
    const { body } = await server.get("/workflows/refund/representation");

    expect(body.graph.name).toBe("refund");
    expect(body.graph.nodes).toContainEqual(expect.objectContaining({ kind: "step", name: "refund" }));
    expect(body.mermaid).toContain("flowchart");
  });

  it("answers 404 for what there is not", async () => {
    expect(await server.get("/workflows/ad/schema")).toMatchObject({ status: 404, body: { code: "WORKFLOW_UNKNOWN" } });
    expect((await server.post("/workflows/__proto__/run")).status).toBe(404);
    expect(await server.get("/nothing")).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect(await server.get("/workflows/add/run")).toMatchObject({ status: 405, body: { code: "METHOD_NOT_ALLOWED" } });
  });

  it("says in OpenAPI what it takes", async () => {
    const { paths, components } = (await server.get("/openapi.json")).body;
    const schemasOf = (path: string): Record<string, Json> =>
      Object.fromEntries(paths[path].get.parameters.map((one: Json) => [one.name, one.schema]));
    const { sse, after_sequence, id } = schemasOf("/events/{id}");
    const { label, limit, waiting } = schemasOf("/handlers");

    expect(after_sequence).toMatchObject({ default: -1, anyOf: [{ enum: ["now"] }, { type: "integer", minimum: -1 }] });
    expect([sse, waiting]).toMatchObject([{ type: "boolean", default: true }, { type: "boolean" }]);
    expect(limit).toMatchObject({ type: "integer", minimum: 1, maximum: 1000, default: 100 });
    expect("name=value").toMatch(new RegExp(label.items.pattern, "u"));
    for (const { pattern } of [id, components.schemas.RunBody.properties.handler_id]) {
      for (const good of ["a/b", "...", "A-17", "\u{1f682}"]) expect(good).toMatch(new RegExp(pattern, "u"));
      for (const bad of [".", "..", "a\0"]) expect(bad).not.toMatch(new RegExp(pattern, "u"));
    }
  });

  it("generates OpenAPI 3.1 of all routes, and shows it", async () => {
    const { body } = await server.get("/openapi.json");
    expect([body.openapi, Object.keys(body.paths).length]).toEqual(["3.1.0", 50]);
    expect(body.components.schemas.Handler.required).toContain("handler_id");
    const isKey = (one: Json) => one.in === "header" && one.name === "idempotency-key";
    const keyed = Object.keys(body.paths).filter((path) => body.paths[path].post?.parameters?.some(isKey));
    expect(keyed.sort()).toEqual([
      "/events/{id}",
      "/handlers/bulk",
      "/handlers/{id}/cancel",
      "/handlers/{id}/fork",
      "/handlers/{id}/prompts/{promptId}",
      "/handlers/{id}/resume",
      "/handlers/{id}/retry",
      "/schedules/{name}/start",
      "/workflows/{name}/run",
      "/workflows/{name}/run-nowait",
    ]);
    const stream = body.paths["/events/{id}"].get.responses["200"].content;
    expect(Object.keys(stream)).toEqual(["text/event-stream", "application/x-ndjson"]);
    expect((await server.get("/docs")).status).toBe(200);
  });
});

describe("POST /workflows/{name}/run", () => {
  it("gives the handler of a run that has ended", async () => {
    const { status, body } = await server.post("/workflows/add/run", { start_event: { left: 2, right: 3 } });

    expect(status).toBe(200);
    expect(body).toEqual({
      handler_id: expect.any(String),
      workflow_name: "add",
      run_id: body.handler_id,
      version: null,
      status: "completed",
      started_at: time,
      updated_at: time,
      completed_at: time,
      error: null,
      error_code: null,
      result: { value: { sum: 5 }, type: "Sum", types: ["StopEvent"], qualified_name: "Sum" },
      waiting: false,
      prompts: [],
      wake_at: null,
      last_sequence: 0,
      labels: {},
      queue: null,
      queued: false,
      sealed: false,
      forked_from: null,
    });
  });

  it.each([
    ["an object of fields", { start_event: { left: 4 } }],
    ["a JSON string", { start_event: '{"left":4}' }],
    ["an envelope", { start_event: { type: "Add", value: { left: 4 } } }],
    ["an envelope with `data`", { start_event: { type: "Add", data: { left: 4 }, qualified_name: "os.system" } }],
    ["an envelope as a JSON string", { start_event: '{"type":"Add","value":{"left":4}}' }],
    ["kwargs", { kwargs: { left: 4 } }],
  ])("takes %s", async (_name, body) => {
    expect((await server.post("/workflows/add/run", body)).body.result.value).toEqual({ sum: 5 });
  });

  it.each([
    ["an envelope without a type", { value: { at: "2026-01-31T00:00:00.000Z" }, meta: { at: ["Date"] } }],
    ["one with a type", { type: "Reminder", value: { at: "2026-01-31T00:00:00.000Z" }, meta: { at: ["Date"] } }],
  ])("restores what JSON cannot hold of %s", async (_name, start_event) => {
    expect((await server.post("/workflows/remind/run", { start_event })).body.result).toMatchObject({
      value: { result: "2026-01-31T00:00:00.000Z" },
      meta: { result: ["Date"] },
    });
  });

  it("refuses a `meta` that fits nothing", async () => {
    const start_event = { value: { at: 1 }, meta: { "__proto__.at": ["Date"] } };

    expect(await server.post("/workflows/remind/run", { start_event })).toMatchObject({ status: 400 });
  });

  it("takes no body at all where nothing is required", async () => {
    const { status, body } = await server.post("/workflows/refund/run");

    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: "running",
      waiting: true,
      prompts: [{ event: { type: "ApproveRefund", value: { order: "A-17" }, types: ["InputRequiredEvent"] } }],
    });
  });

  it("answers 200 for a run that failed, without stacks", async () => {
    const { status, body } = await server.post("/workflows/fail/run");

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^could not read .*secret.json: it is gone$/),
      error_code: "STEP_FAILED",
      result: null,
    });
  });

  it("waits for a run that sleeps, and answers 202 for one that takes longer", async () => {
    expect(await server.post("/workflows/nap/run", { kwargs: { ms: 50 } })).toMatchObject({
      status: 200,
      body: { result: { value: { result: "rested" }, type: "StopEvent", types: null } },
    });
    const { status, body } = await impatient.post("/workflows/nap/run", { kwargs: { ms: 3_600_000 } });
    expect(status).toBe(202);
    await expect
      .poll(async () => (await impatient.get(`/handlers/${body.handler_id}`)).body)
      .toMatchObject({ waiting: true, wake_at: time });
    expect(await impatient.post("/workflows/busy/run")).toMatchObject({ status: 202, body: { waiting: false } });
  });

  it.each([
    ["an input that does not fit", { start_event: { left: "x" } }, "EVENT_INVALID"],
    ["no input where one is required", {}, "EVENT_INVALID"],
    ["another start event", { start_event: { type: "Counted", value: {} } }, "EVENT_UNKNOWN"],
    ["a list", [], "BODY_INVALID"],
    ["a start event that is not an object", { start_event: 7 }, "BODY_INVALID"],
    ["text that is not JSON", '{"start_event":', "BODY_INVALID"],
    ["a string that is not JSON", { start_event: "x" }, "BODY_INVALID"],
    ["fields beside the start event, which nobody would read", { left: 1, right: 2 }, "BODY_INVALID"],
    ["a context", { kwargs: { left: 1 }, context: { format: "millrace/run" } }, "CONTEXT_DISABLED"],
    ["an id with control characters", { handler_id: "a\u0000b", kwargs: { left: 1 } }, "BODY_INVALID"],
  ])("answers 400 for %s", async (_name, body, code) => {
    const answer = await server.post("/workflows/add/run", body);

    expect(answer).toMatchObject({ status: 400, body: { code, detail: expect.any(String) } });
  });

  it("says where fields that nobody reads belong", async () => {
    const { body } = await server.post("/workflows/add/run", { input: "x", kwargs: { left: 1 } });

    expect(body.detail).toContain("unknown: `input`; the fields of an event go into `start_event`");
  });

  it("says which field does not fit", async () => {
    const { body } = await server.post("/workflows/add/run", { start_event: { left: "x" } });

    expect(body.issues).toEqual([{ path: "left", message: expect.stringContaining("number") }]);
  });
});

describe("starting once", () => {
  it("refuses an id that exists, whatever the input", async () => {
    await server.start("add", { handler_id: "once", kwargs: { left: 1 } });

    const again = await server.start("add", { handler_id: "once", kwargs: { left: 1 } });
    expect(again).toMatchObject({ status: 409, body: { code: "RUN_ID_CONFLICT" } });
    expect(await server.start("add", { handler_id: "once", kwargs: { left: 2 } })).toMatchObject({ status: 409 });
    expect(await server.start("refund", { handler_id: "once" })).toMatchObject({ status: 409 });
  });

  it("gives the handler of the first request to the one with its key", async () => {
    const first = { handler_id: "keyed", kwargs: { left: 1 } };
    await server.start("add", first, { "idempotency-key": "k1" });

    expect(await server.start("add", first, { "idempotency-key": "k1" })).toMatchObject({
      status: 200,
      body: { handler_id: "keyed" },
    });
    expect(await server.start("add", first, { "idempotency-key": "k2" })).toMatchObject({ status: 409 });
    expect(await server.start("add", first)).toMatchObject({ status: 409 });
  });

  it("makes the id of the key where there is none", async () => {
    const start = () => server.start("add", { kwargs: { left: 1 } }, { "idempotency-key": "k3" });

    const [one, other] = await Promise.all([start(), start()]);
    expect(one.status).toBe(200);
    expect(other.body.handler_id).toBe(one.body.handler_id);
  });

  it("lets one of ten requests at once have the id", async () => {
    const starts = Array.from({ length: 10 }, () => server.start("add", { handler_id: "race", kwargs: { left: 1 } }));

    const statuses = (await Promise.all(starts)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(9).fill(409)]);
  });
});

describe("handlers", () => {
  it("says where a run stands", async () => {
    const { body } = await server.start("refund");
    await server.get(`/events/${body.handler_id}?until=idle`);

    expect(await server.get(`/handlers/${body.handler_id}`)).toMatchObject({ status: 202, body: { waiting: true } });
    expect(await server.get("/handlers/nobody")).toMatchObject({ status: 404, body: { code: "RUN_UNKNOWN" } });
  });

  it("waits for the end of a run, or until somebody has to answer it, as long as it is told", async () => {
    const { body: napping } = await server.start("nap", { kwargs: { ms: 50 } });
    const { body: refund } = await server.start("refund");
    const { body: busy } = await server.start("busy");

    expect(await server.get(`/handlers/${napping.handler_id}?wait=60000`)).toMatchObject({ status: 200 });
    expect(await server.get(`/handlers/${refund.handler_id}?wait=999999`)).toMatchObject({
      status: 202,
      body: { waiting: true, prompts: [{ event: { type: "ApproveRefund" } }] },
    });
    expect(await server.get(`/handlers/${busy.handler_id}?wait=20`)).toMatchObject({
      status: 202,
      body: { waiting: false },
    });
    const { body: other } = await impatient.start("busy");
    // No longer than `runWaitMs`, which is 400 ms here.
    expect(await impatient.get(`/handlers/${other.handler_id}?wait=999999`)).toMatchObject({ status: 202 });
    expect(await server.get(`/handlers/${busy.handler_id}?wait=-1`)).toMatchObject({ status: 400 });
  });

  it("gives the bare result to whoever asks for that", async () => {
    const { body: napping } = await server.start("nap", { kwargs: { ms: 50 } });
    const { body: added } = await server.post("/workflows/add/run", { kwargs: { left: 1 } });
    const { body: failed } = await server.post("/workflows/fail/run");

    const { body: waiting } = await server.post("/workflows/refund/run");
    expect(await server.get(`/results/${waiting.handler_id}`)).toMatchObject({ status: 202, body: { result: null } });
    expect(await server.get(`/results/${napping.handler_id}?wait=60000`)).toMatchObject({
      status: 200,
      body: { handler_id: napping.handler_id, status: "completed", result: "rested" },
    });
    expect((await server.get(`/results/${added.handler_id}`)).body.result).toEqual({ sum: 2 });
    expect(await server.get(`/results/${failed.handler_id}`)).toMatchObject({
      status: 200,
      body: { status: "failed", result: null, error_code: "STEP_FAILED" },
    });
    expect(await server.get("/results/nobody")).toMatchObject({ status: 404, body: { code: "RUN_UNKNOWN" } });
  });

  it("finds runs by what they wait for, their labels and their time", async () => {
    const labels = { team: "a=b", place: "1" };
    const { handler_id: id, started_at: startedAt } = (await server.post("/workflows/refund/run", { labels })).body;
    await server.post("/workflows/add/run", { kwargs: { left: 1 }, labels: { team: "a=b" } });
    const found = async (query: string) => {
      const { body } = await server.get(`/handlers?label=team%3Da%3Db&${query}`);
      return body.handlers.map((one: { workflow_name: string }) => one.workflow_name);
    };

    expect((await server.get(`/handlers/${id}`)).body.labels).toEqual(labels);
    expect(await found("")).toEqual(["add", "refund"]);
    expect(await found("label=place%3D1")).toEqual(["refund"]);
    expect(await found("label=place%3D1&label=place%3D1")).toEqual(["refund"]);
    expect(await found("label=place%3D2&label=place%3D1")).toEqual([]);
    expect(await found("waiting=true")).toEqual(["refund"]);
    expect(await found("waiting=false")).toEqual(["add"]);
    expect(await found("waiting=true&status=completed")).toEqual([]);
    expect(await found(`created_before=${startedAt}`)).toEqual([]);
    const before = new Date(Date.parse(startedAt) - 1).toISOString();
    expect(await found(`created_after=${before}`)).toEqual(["add", "refund"]);
    expect(await server.start("add", { kwargs: { left: 1 }, labels: { "millrace.start": "x" } })).toMatchObject({
      status: 400,
    });
  });

  it("lists what is asked while another branch is at work", async () => {
    const { handler_id: id } = (await server.start("aside")).body;
    await expect.poll(async () => (await server.get(`/handlers/${id}/prompts`)).body.prompts).toHaveLength(1);

    expect((await server.get(`/handlers/${id}`)).body).toMatchObject({ waiting: false });
    const [{ prompt_id, event }] = (await server.get(`/handlers/${id}/prompts`)).body.prompts;
    expect(event).toMatchObject({ type: "ApproveRefund", value: { order: "A-17" } });
    expect(await server.post(`/handlers/${id}/prompts/${prompt_id}`, { fields: { approved: true } })).toMatchObject({
      status: 200,
    });
    expect((await server.get(`/handlers/${id}/prompts`)).body.prompts).toEqual([]);
    expect(await server.ended(id)).toMatchObject({ result: { value: { result: true } } });
  });

  it("lists in pages, by status and by several workflows", async () => {
    for (const left of [1, 2, 3]) await server.post("/workflows/add/run", { kwargs: { left } });
    await server.post("/workflows/fail/run");
    const query = "/handlers?workflow_name=add&workflow_name=fail&status=completed&limit=2";

    const first = (await server.get(query)).body;
    const second = (await server.get(`${query}&cursor=${encodeURIComponent(first.cursor)}`)).body;
    const ids = [...first.handlers, ...second.handlers].map(({ handler_id }) => handler_id);
    expect(new Set(ids).size).toBe(4);
    expect(first.handlers.every((one: { status: string }) => one.status === "completed")).toBe(true);
    expect((await server.get("/handlers?status=failed&limit=1")).body.handlers).toMatchObject([{ status: "failed" }]);
  });

  it.each([
    "status=done",
    "limit=0",
    "limit=x",
    "cursor=",
    "cursor=../../etc",
    "waiting=x",
    "label=x",
    "created_after=x",
  ])("refuses ?%s", async (query) => {
    expect(await server.get(`/handlers?${query}`)).toMatchObject({ status: 400 });
  });

  it("cancels, resumes and deletes", async () => {
    const { handler_id: id } = (await server.start("refund")).body;

    expect(await server.post(`/handlers/${id}/cancel`, { reason: "no stock" })).toMatchObject({
      status: 200,
      body: { status: "cancelled" },
    });
    expect(await server.get(`/handlers/${id}`)).toMatchObject({
      status: 200,
      body: { status: "cancelled", error: "The run was cancelled: no stock.", error_code: "RUN_CANCELLED" },
    });
    expect(await server.post(`/handlers/${id}/cancel`)).toMatchObject({ status: 404, body: { code: "RUN_FINISHED" } });
    expect(await server.post(`/handlers/${id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "RUN_NOT_RETRYABLE" },
    });
    expect(await server.post(`/handlers/${id}/resume`)).toMatchObject({ status: 200, body: { status: "running" } });
    expect(await server.post(`/handlers/${id}/cancel?purge=true`)).toMatchObject({ body: { status: "deleted" } });
    expect(await server.get(`/handlers/${id}`)).toMatchObject({ status: 404 });
    expect(await server.post("/handlers/nobody/cancel")).toMatchObject({ status: 404 });
  });

  it("deletes one that has ended", async () => {
    const { handler_id: id } = (await server.post("/workflows/add/run", { kwargs: { left: 1 } })).body;

    expect(await server.post(`/handlers/${id}/cancel?purge=true`)).toMatchObject({ body: { status: "deleted" } });
    expect(await server.get(`/handlers/${id}`)).toMatchObject({ status: 404 });
  });

  it("retries one that failed", async () => {
    const { handler_id: id } = (await server.post("/workflows/fail/run")).body;

    expect(await server.post(`/handlers/${id}/retry`)).toMatchObject({ status: 200, body: { handler_id: id } });
    expect(await server.ended(id)).toMatchObject({ status: "failed" });
    expect(await server.post(`/handlers/${id}/resume`)).toMatchObject({ status: 409, body: { code: "RUN_FINISHED" } });
  });
});

describe("looking back", () => {
  it("gives the history in pages, and a snapshot", async () => {
    const { handler_id: id } = (await server.post("/workflows/fail/run")).body;

    const first = (await server.get(`/handlers/${id}/history?limit=1`)).body;
    const rest = (await server.get(`/handlers/${id}/history?after=${first.next}`)).body;
    expect(first.entries).toMatchObject([{ number: 1, at: time, run_id: id, tick: { type: "run.started" } }]);
    expect(rest.next).toBeNull();
    expect(rest.entries.at(-1).tick.type).toBe("step.failed");
    const snapshot = await server.get(`/handlers/${id}/snapshot`);
    expect(snapshot.body).toMatchObject({ workflow: "fail" });
    expect(JSON.stringify([first, rest, snapshot.body])).not.toMatch(/"stack"|\.ts:/);
  });

  it("forks", async () => {
    const { handler_id: id } = (await server.start("mailbox")).body;
    await server.get(`/events/${id}?until=idle`);

    const forked = await server.post(`/handlers/${id}/fork`, { at: 2, handler_id: `${id}-fork`, state: { opened: 6 } });
    expect(forked).toMatchObject({ status: 200, body: { handler_id: `${id}-fork`, workflow_name: "mailbox" } });
    await server.get(`/events/${id}-fork?until=idle`);
    const [origin] = (await server.get(`/handlers/${id}-fork/history?limit=1`)).body.entries;
    expect(origin).toMatchObject({ number: 0, tick: { type: "run.forked", from: { run_id: id, tick: 2 } } });
    await server.post(`/events/${id}-fork`, { event: { type: "Letter", value: { text: "hello" } } });
    expect((await server.ended(`${id}-fork`)).result?.value).toEqual({ result: "hello (6)" });
    expect(await server.post(`/handlers/${id}/fork`, { at: 2, handler_id: `${id}-fork` })).toMatchObject({
      status: 409,
      body: { code: "RUN_ID_CONFLICT" },
    });
    expect(await server.post(`/handlers/${id}/fork`, { at: 2, state: { opened: "x" } })).toMatchObject({
      status: 400,
      body: { code: "STATE_INVALID" },
    });
    expect(await server.post(`/handlers/${id}/fork`, { at: 999 })).toMatchObject({ status: 400 });
  });

  it("forks once for a key", async () => {
    const { handler_id: id } = (await server.start("mailbox")).body;
    await server.get(`/events/${id}?until=idle`);
    const fork = (key: string) => server.post(`/handlers/${id}/fork`, { at: 2 }, { "idempotency-key": key });

    const [one, other] = await Promise.all([fork("f1"), fork("f1")]);
    expect(one).toMatchObject({ status: 200, body: { workflow_name: "mailbox" } });
    expect(other.body.handler_id).toBe(one.body.handler_id);
    expect((await fork("f2")).body.handler_id).not.toBe(one.body.handler_id);
    const named = { at: 2, handler_id: `${id}-named` };
    const key = { "idempotency-key": "f3" };
    await server.post(`/handlers/${id}/fork`, named, key);
    expect(await server.post(`/handlers/${id}/fork`, named, key)).toMatchObject({ status: 200 });
    expect(await server.post(`/handlers/${id}/fork`, { ...named, at: 1 }, key)).toMatchObject({ status: 409 });
  });

  it("answers 404 for a run that there is not", async () => {
    const answers = [
      await server.get("/handlers/nobody/history"),
      await server.get("/handlers/nobody/snapshot"),
      await server.get("/handlers/nobody/prompts"),
      await server.post("/handlers/nobody/prompts/p", {}),
      await server.post("/handlers/nobody/fork", { at: 1 }),
      await server.post("/handlers/nobody/resume"),
      await server.post("/handlers/nobody/retry"),
      await server.get("/events/nobody"),
      await server.post("/events/nobody", { event: { type: "Letter", value: { text: "x" } } }),
    ];

    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: "RUN_UNKNOWN" } });
  });

  it("takes up what is due, and says when there will be more", async () => {
    await using other = await ServerProcess.start();
    expect((await other.post("/tick")).body).toEqual({ taken: 0, wake_at: null });

    await other.start("nap", { kwargs: { ms: 3_600_000 } });
    const { body } = await other.post("/tick");
    expect(body).toEqual({ taken: 0, wake_at: time });
    expect(Date.parse(body.wake_at)).toBeLessThanOrEqual(Date.now() + 10_000); // the end of the lease at the latest
  });
});
