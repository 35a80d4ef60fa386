import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentCard, type Task, TaskState } from "@a2a-js/sdk";
import { sqliteStore } from "@millrace/sqlite";
import { describe, expect, it } from "vitest";
import {
  all,
  bindings,
  clientOf,
  data,
  errorOf,
  folded,
  questions,
  returnAtOnce,
  said,
  send,
  text,
} from "./support/agent.js";
import { openDesk } from "./support/open-desk.js";

describe.each(bindings)("a task over %s", (binding) => {
  it("streams words, needs input, takes the answer and has a result", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, binding);

    const asked = folded(await all(client.sendMessageStream(send([data({ city: "Rome" })]))));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(said(asked).text).toBe("Looking for flights to Rome.");
    const [question] = questions(asked);
    expect(question).toMatchObject({
      title: "Book a flight to Rome for 99 €?",
      details: { city: "Rome" },
      schema: { properties: { approved: { type: "boolean" } }, required: ["approved"] },
    });

    const answer = send([data({ approved: true })], { taskId: asked.id, contextId: asked.contextId });
    const done = folded(await all(client.sendMessageStream(answer)));
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(said(done).data).toEqual([{ ticket: "T-Rome", price: 99 }]);
    expect(open.effects).toEqual([`search ${asked.id}`, `pay ${asked.id}`]);

    const read = await client.getTask({ id: asked.id, tenant: "" });
    expect(read).toEqual(done);
  });

  it("waits for a task that is sent without a stream, and takes a text as the answer", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, binding);

    const asked = (await client.sendMessage(send([text("Oslo")]))) as Task;
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = (await client.sendMessage(send([text("no")], { taskId: asked.id }))) as Task;
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(said(done).text).toBe("Not booked.");
  });

  it("returns at once when it is asked to, and a subscriber sees the rest", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, binding);

    const begun = (await client.sendMessage(send([data({ city: "Bari", wordMs: 40 })], {}, returnAtOnce))) as Task;
    expect([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_SUBMITTED]).toContain(begun.status?.state);
    const updates = all(client.resubscribeTask({ id: begun.id, tenant: "" }));
    const asked = (await client
      .sendMessage(send([text("yes")], { taskId: begun.id }))
      .catch((error) => error)) as Error;
    expect(asked.message).toContain("The prompt is closed");
    for (;;) {
      const { status } = await client.getTask({ id: begun.id, tenant: "" });
      if (status?.state === TaskState.TASK_STATE_INPUT_REQUIRED) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await client.sendMessage(send([text("yes")], { taskId: begun.id }));
    const seen = await updates;
    expect(folded(seen)).toEqual(await client.getTask({ id: begun.id, tenant: "" }));
    expect(seen.map(({ payload }) => payload?.$case)).toContain("statusUpdate");
  });

  it("cancels a task, and cancelling it again changes nothing", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, binding);
    const asked = (await client.sendMessage(send([text("Nice")]))) as Task;

    const cancelled = await client.cancelTask({ id: asked.id, tenant: "", metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(await client.cancelTask({ id: asked.id, tenant: "", metadata: undefined })).toEqual(cancelled);
    const done = (await client.sendMessage(send([text("Linz")]))) as Task;
    await client.sendMessage(send([text("no")], { taskId: done.id }));
    const refused = client.cancelTask({ id: done.id, tenant: "", metadata: undefined });
    expect(await errorOf(refused)).toMatchObject({ name: "TaskNotCancelableError", code: "RUN_FINISHED" });
  });

  it("lists tasks by context and state, in pages", async () => {
    await using open = await openDesk();
    const client = await clientOf(open.url, binding);
    const list = {
      tenant: "",
      contextId: "",
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: "",
      statusTimestampAfter: undefined,
    };
    const ids: string[] = [];
    for (const city of ["A", "B", "C"]) {
      const task = (await client.sendMessage(
        send([text(city)], { contextId: city === "C" ? "other" : "mine" }),
      )) as Task;
      ids.push(task.id);
    }
    await client.sendMessage(send([text("no")], { taskId: ids[0] as string }));
    open.runtime.run("booking" as never, { city: "not a task" } as never);

    const first = await client.listTasks({ ...list, pageSize: 2 });
    expect(first.totalSize).toBe(3);
    const second = await client.listTasks({ ...list, pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(second.nextPageToken).toBe("");
    const mine = await client.listTasks({ ...list, contextId: "mine" });
    expect(mine.tasks.map(({ id }) => id)).toEqual([ids[1], ids[0]]);
    const waiting = await client.listTasks({ ...list, status: TaskState.TASK_STATE_INPUT_REQUIRED });
    expect(waiting.tasks.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const done = await client.listTasks({ ...list, status: TaskState.TASK_STATE_COMPLETED, includeArtifacts: true });
    expect(done.tasks.map((task) => said(task).text)).toEqual(["Not booked."]);
  });

  it("asks several questions at once, each answered by its id", async () => {
    await using open = await openDesk({ skills: { survey: "Asks." } });
    const client = await clientOf(open.url, binding);

    const asked = (await client.sendMessage(send([data({})]))) as Task;
    const { id: taskId } = asked;
    const both = await until(
      async () => questions(await client.getTask({ id: taskId, tenant: "" })),
      (found) => found.length === 2,
    );
    const unclear = client.sendMessage(send([text("Ada")], { taskId }));
    expect(await errorOf(unclear)).toMatchObject({ name: "RequestMalformedError", code: "BODY_INVALID" });
    const promptOf = (title: string) => both.find((question) => question.title === title)?.promptId;
    const age = { ...data({ age: 36 }), metadata: { promptId: promptOf("Your age?") } };
    await client.sendMessage(send([age], { taskId }));
    const left = (await client.sendMessage(
      send([text("Ada")], { taskId, metadata: { promptId: promptOf("Your name?") } }),
    )) as Task;
    expect(questions(left)).toMatchObject([{ title: "Confirm", details: { question: "All right?" } }]);
    const done = (await client.sendMessage(send([text("yes")], { taskId }))) as Task;
    expect(said(done).data).toEqual([{ name: "Ada", age: 36, ok: true }]);
  });

  it("tells of a failed task its code, and no more", async () => {
    await using open = await openDesk({ skills: { broken: "Breaks." } });
    const client = await clientOf(open.url, binding);

    const failed = (await client.sendMessage(send([data({})]))) as Task;

    expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(JSON.stringify(failed)).not.toContain("hunter2");
    expect(failed.status?.message?.parts.map(({ content }) => content?.value)).toEqual([
      "STEP_FAILED",
      { code: "STEP_FAILED" },
    ]);
  });
});

async function until<Value>(read: () => Promise<Value>, isRight: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it("shows events of the workflow as artifacts", async () => {
  await using open = await openDesk({
    map: ({ event }) => (event.type === "Found" ? { name: "offer", data: event.toJSON() } : undefined),
  });
  const client = await clientOf(open.url, "JSONRPC");

  const asked = folded(await all(client.sendMessageStream(send([text("Rome")]))));

  expect(said(asked, "offer").data).toEqual([{ city: "Rome", price: 99 }]);
  expect(asked).toEqual(await client.getTask({ id: asked.id, tenant: "" }));
});

it("has a card from the workflows", async () => {
  await using open = await openDesk({
    skills: { booking: { description: "Books.", tags: ["travel"] }, echo: "Echoes." },
  });

  const response = await fetch(`${open.url}/.well-known/agent-card.json`);
  const shown = await response.json();

  expect(response.headers.get("content-type")).toContain("application/json");
  const again = AgentCard.toJSON(AgentCard.fromJSON(shown));
  expect(again).toEqual(shown);
  expect(shown).toMatchObject({
    name: "Travel desk",
    version: "1.0.0",
    capabilities: {
      streaming: true,
      extensions: [
        {
          uri: "urn:millrace:a2a:schemas",
          params: { skills: { booking: { input: { properties: { city: { type: "string" } }, required: ["city"] } } } },
        },
      ],
    },
    supportedInterfaces: [
      { url: `${open.url}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: `${open.url}/a2a`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ],
    skills: [
      { id: "booking", description: "Books.", tags: ["travel"], inputModes: ["application/json", "text/plain"] },
      { id: "echo", description: "Echoes." },
    ],
  });
});

it("begins the workflow that the message names", async () => {
  await using open = await openDesk({ skills: { booking: "Books.", echo: "Echoes." } });
  const client = await clientOf(open.url, "JSONRPC");

  const echoed = (await client.sendMessage(send([text("hello")], { metadata: { skill: "echo" } }))) as Task;

  expect(said(echoed).text).toBe("You said: hello");
  for (const metadata of [undefined, { skill: "survey" }, { skill: 7 }])
    expect(await errorOf(client.sendMessage(send([text("hello")], { metadata })))).toMatchObject({
      hint: "Name one in `metadata.skill` of the message: booking, echo.",
    });
});

it("shows the words of an agent, and its answer once, without what it has cost", async () => {
  await using open = await openDesk({ skills: { answering: "Answers." } });
  const client = await clientOf(open.url, "JSONRPC");

  const updates = await all(client.sendMessageStream(send([data({})])));

  const chunks = updates.filter(({ payload }) => payload?.$case === "artifactUpdate");
  const done = folded(updates);
  expect(said(done)).toEqual({ text: "It is sunny.", data: [] });
  expect(JSON.stringify(updates)).not.toMatch(/tokens|Hm/);
  expect(chunks.every(({ payload }) => (payload as { value: { lastChunk: boolean } }).value.lastChunk === false)).toBe(
    true,
  );
  expect(done).toEqual(await client.getTask({ id: done.id, tenant: "" }));
  for (const { parts } of done.artifacts) expect(parts).not.toEqual([]);
});

it("names its public address, whatever address it is asked at", async () => {
  await using open = await openDesk({ url: "https://travel.example/a2a" });

  const shown = (await (await fetch(`${open.url}/.well-known/agent-card.json`)).json()) as {
    supportedInterfaces: object[];
  };

  expect(shown.supportedInterfaces).toMatchObject([
    { url: "https://travel.example/a2a" },
    { url: "https://travel.example/a2a" },
  ]);
});

it("is served by two servers over one store: begun at one, answered at the other, read at both", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-a2a-"));
  const file = join(folder, "runs.db");
  {
    await using one = await openDesk({}, {}, { store: sqliteStore(file) });
    await using two = await openDesk({}, {}, { store: sqliteStore(file) });
    const [first, second] = [await clientOf(one.url, "JSONRPC"), await clientOf(two.url, "HTTP+JSON")];
    const asked = (await first.sendMessage(send([text("Rome")]))) as Task;
    const watched = all(first.resubscribeTask({ id: asked.id, tenant: "" }));

    const done = await second.sendMessage(send([text("yes")], { taskId: asked.id }));

    expect(await first.getTask({ id: asked.id, tenant: "" })).toEqual(done);
    expect(folded(await watched)).toEqual(done);
    const again = await errorOf(first.sendMessage(send([text("yes")], { taskId: asked.id })));
    expect(again).toMatchObject({ code: "RUN_FINISHED" });
    expect([...one.effects, ...two.effects].filter((line) => line.startsWith("pay"))).toHaveLength(1);
  }
  rmSync(folder, { recursive: true });
});
