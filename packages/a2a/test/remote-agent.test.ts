import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defineWorkflow, StartEvent, StopEvent, WorkflowError } from "millrace";
import { createRuntime, memoryStore, type RunHandle, type Runtime } from "millrace/runtime";
import { expect, it } from "vitest";
import { type RemoteAgent, type RemoteMessage, remoteAgent } from "../src/client.js";
import { openDesk } from "./support/open-desk.js";

/** A workflow that asks another agent. */
function asking(agent: RemoteAgent, message: RemoteMessage | string) {
  return defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await agent.run(ctx, message) });
    })
    .build();
}

async function runtimeOf(workflow: ReturnType<typeof asking>, options: object = {}, more: object = {}) {
  const runtime = createRuntime({ workflows: { asking: workflow, ...more }, store: memoryStore(), ...options });
  await runtime.start();
  return {
    runtime: runtime as unknown as Runtime,
    start: () => runtime.run("asking" as never, {} as never) as unknown as RunHandle,
    async [Symbol.asyncDispose]() {
      await runtime.stop({ drainMs: 0 });
    },
  };
}

it("asks another agent, and puts its question to a person of this run", async () => {
  await using open = await openDesk();
  await using here = await runtimeOf(asking(remoteAgent(open.url), "Rome"));
  const handle = here.start();

  const outcome = await handle.idle();

  expect(outcome).toMatchObject({
    status: "waiting",
    prompts: [{ event: { title: "Book a flight to Rome for 99 €?" } }],
  });
  const [prompt] = await handle.prompts();
  expect(prompt?.event.toJSON()).toMatchObject({
    details: { city: "Rome" },
    schema: { properties: { approved: { type: "boolean" } }, required: ["approved"] },
  });
  await handle.answer(prompt?.promptId as string, { approved: true });
  const answer = await handle;
  expect(answer).toMatchObject({ text: "", data: { ticket: "T-Rome", price: 99 } });
  expect(open.effects.map((line) => line.split(" ")[0])).toEqual(["search", "pay"]);
});

it("asks again when the other agent refuses an answer", async () => {
  await using open = await openDesk();
  await using here = await runtimeOf(asking(remoteAgent(open.url), { data: { city: "Rome" } }));
  const handle = here.start();
  await handle.idle();
  const [first] = await handle.prompts();

  await handle.answer(first?.promptId as string, { approved: "perhaps" });
  await handle.idle();
  const [second] = await handle.prompts();

  expect(second?.promptId).not.toBe(first?.promptId);
  expect(JSON.stringify(second?.event.toJSON())).toContain("problem");
  await handle.answer(second?.promptId as string, { approved: false });
  expect(await handle).toMatchObject({ text: "Not booked." });
});

it("cancels the task of the other agent when its own run is cancelled, at work and while it waits", async () => {
  await using open = await openDesk();
  await using here = await runtimeOf(asking(remoteAgent(open.url), { data: { city: "Rome" } }));
  await using slow = await runtimeOf(asking(remoteAgent(open.url), { data: { city: "Bari", wordMs: 200 } }));
  const [waits, works] = [here.start(), slow.start()];
  await waits.idle();
  await expect.poll(() => open.effects.length, { timeout: 10_000 }).toBe(2);

  await Promise.all([waits.cancel("enough"), works.cancel("enough")]);

  const statuses = async () => (await open.runtime.runs()).runs.map(({ status }) => status);
  await expect.poll(statuses, { timeout: 10_000 }).toEqual(["cancelled", "cancelled"]);
  await Promise.all([waits, works].map((handle) => expect(handle).rejects.toMatchObject({ code: "RUN_CANCELLED" })));
});

it("cancels the task of the other agent when nobody holds the run that is cancelled", async () => {
  await using open = await openDesk();
  const agent: RemoteAgent = remoteAgent(open.url, { runtime: () => here.runtime });
  await using here = await runtimeOf(asking(agent, "Rome"), { idleReleaseMs: 0 }, { guard: agent.guard });
  const handle = here.start();
  await handle.idle();
  await new Promise((resolve) => setTimeout(resolve, 100)); // it leaves memory

  await handle.cancel("enough");

  const statuses = async () => (await open.runtime.runs()).runs.map(({ status }) => status);
  await expect.poll(statuses, { timeout: 10_000 }).toEqual(["cancelled"]);
  await expect(handle).rejects.toMatchObject({ code: "RUN_CANCELLED" });
});

it("keeps a guard no longer than the task", async () => {
  await using open = await openDesk();
  const agent: RemoteAgent = remoteAgent(open.url, { runtime: () => here.runtime });
  await using here = await runtimeOf(asking(agent, "Rome"), {}, { guard: agent.guard });
  const handle = here.start();
  await handle.idle();
  const [prompt] = await handle.prompts();
  await handle.answer(prompt?.promptId as string, { approved: false });
  await handle;

  const { runs } = await here.runtime.runs();
  expect(runs.map(({ workflow, status }) => `${workflow} ${status}`).sort()).toEqual([
    "asking completed",
    "guard cancelled",
  ]);
  expect((await open.runtime.runs()).runs.map(({ status }) => status)).toEqual(["completed"]);
});

it("fails with the state and the code of the other agent", async () => {
  await using open = await openDesk({ skills: { broken: "Breaks.", echo: "Echoes." } });
  await using here = await runtimeOf(asking(remoteAgent(open.url, { skill: "broken" }), { data: {} }));

  const error = await here.start().then(
    () => null,
    (caught: unknown) => caught,
  );

  expect(error).toMatchObject({
    code: "REMOTE_AGENT_FAILED",
    details: { state: "TASK_STATE_FAILED", remoteCode: "STEP_FAILED" },
  });
});

it("is a child of a workflow", async () => {
  await using open = await openDesk({ skills: { echo: "Echoes." } });
  const agent = remoteAgent(open.url, { name: "echo" });
  const parent = defineWorkflow("parent", { children: { echo: agent.workflow } })
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await ctx.runChild(agent.workflow, { text: "hello" }) });
    })
    .build();

  expect(await parent.run()).toMatchObject({ text: "You said: hello", data: null });
});

it("sends the credentials to the origin of the agent alone", async () => {
  const seen: (string | undefined)[] = [];
  const evil = createHttpServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(evil, "listening");
  const evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  await using named = await openDesk({ url: `${evilUrl}/a2a` });
  const redirecting = createHttpServer(
    (_request, response) => void response.writeHead(307, { location: evilUrl }).end(),
  );
  redirecting.listen(0, "127.0.0.1");
  await once(redirecting, "listening");
  const redirectingUrl = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
  const options = { headers: { authorization: "Bearer secret" }, retry: { next: () => null } };

  for (const url of [named.url, redirectingUrl]) {
    await using here = await runtimeOf(asking(remoteAgent(url, options), "Rome"));
    await expect(here.start()).rejects.toBeInstanceOf(Error);
  }
  evil.close();
  redirecting.close();

  expect(seen).toEqual([]);
});

it("refuses wrong options with every problem", () => {
  const wrong = () => remoteAgent("booker.example", { holdMs: 0, name: 7 as never });

  expect(wrong).toThrow(WorkflowError);
  for (const problem of ["holdMs", "name", "address"]) expect(wrong).toThrow(problem);
});
