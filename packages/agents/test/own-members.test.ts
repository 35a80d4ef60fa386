/** Members of a team that are objects of a user's own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pipeline } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Executor, type MemberRequest, memorySessions, Team } from "../src/index.js";
import { scripted, toolOutputs } from "./support/models.js";
import { stored } from "./support/refunds.js";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "members-"));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "app.db");
}

const metrics = { inputTokens: 1, outputTokens: 1, totalTokens: 2, duration: 0 };
const ended = (runId: string, content: unknown) => ({
  runId,
  content,
  metrics,
  status: "COMPLETED",
  error: null,
});

/** Looks up a price in a call, and asks a person whether it may buy. */
function buyer() {
  const seen = { begun: 0, prices: 0 };
  const schema = z.object({ approved: z.boolean(), note: z.string().nullable().default(null) });
  const executor = {
    kind: "agent" as const,
    name: "Buyer",
    async execute({ ctx, callContext, input, sessionState, idempotencyKey }: MemberRequest) {
      seen.begun++;
      sessionState["heard"] = input;
      const price = await ctx.run("price", (call) => {
        callContext(call).sessionState["priced"] = ++seen.prices;
        return 120;
      });
      const { approved, note } = await ctx.scope("pay").ask({ title: `Pay ${price} €?`, details: { price }, schema });
      return ended(idempotencyKey, approved ? `bought for ${price}` : `not bought: ${note}`);
    },
  } as unknown as Executor;
  return { seen, executor };
}

function teamOf(executor: Executor, more: { readonly sessions?: ReturnType<typeof memorySessions> } = {}) {
  const task = { member: executor.name.toLowerCase(), task: "a lamp" };
  const model = scripted([[["delegate_task_to_member", task]], (options) => JSON.stringify(toolOutputs(options))]);
  return { model, team: new Team({ name: "Shop", model, members: [executor], ...more }) };
}

describe("a member of a user's own that reads `ctx`", () => {
  it("asks through its team and the pipeline, in a file, and goes on in another process", async () => {
    const file = newFile();
    const { executor, seen } = buyer();
    const { team, model } = teamOf(executor);
    const open = () => {
      const desk = new Pipeline({ name: "Desk", store: sqliteStore(file), steps: [team] });
      closers.push(() => desk.close());
      return desk;
    };
    const before = open();

    const asked = await before.run("Buy", { runId: "r1" });
    await before.close();
    const after = open();
    const paused = await after.getRun("r1");
    paused?.requirements[0]?.confirm();
    const done = await after.continueRun(paused as NonNullable<typeof paused>);

    expect(asked.requirements).toMatchObject([
      { kind: "executor", message: "Pay 120 €?", data: { tools: [{ toolCallId: "call-0/Pay 120 €?" }] } },
    ]);
    expect(done).toMatchObject({ status: "COMPLETED", sessionState: { heard: "a lamp", priced: 1 } });
    expect(done.content).toContain("bought for 120");
    expect(done.stepResults[0]).toMatchObject({ metrics: { totalTokens: 2 * 15 + 2 } });
    expect(seen).toEqual({ begun: 2, prices: 1 });
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(2);
  });

  it("asks as a prompt of its team's workflow, in a file, and goes on in another process", async () => {
    const file = newFile();
    const { executor, seen } = buyer();
    const { team } = teamOf(executor);
    const open = () => {
      const runtime = createRuntime({ workflows: { shop: team.workflow }, store: sqliteStore(file) });
      closers.push(() => runtime.stop());
      return runtime;
    };
    const before = open();

    const outcome = await before.run("shop", { input: "Buy" }, { runId: "r1" }).idle();
    await before.stop();
    const handle = open().handle("r1");
    const [prompt] = outcome.status === "waiting" ? outcome.prompts : [];
    await handle.answer(prompt?.promptId ?? "", { approved: false, note: "too dear" });
    const result = await handle;

    expect(prompt?.event).toMatchObject({
      title: "Pay 120 €?",
      details: { id: "call-0/Pay 120 €?", agent: "Buyer", price: 120 },
    });
    expect(JSON.stringify(result)).toContain("not bought: too dear");
    expect(seen.prices).toBe(1);
  });

  it("pauses a team that works alone, and goes on with the answer", async () => {
    const { executor, seen } = buyer();
    const { team } = teamOf(executor, { sessions: memorySessions() });

    const paused = await team.run("Buy");
    const done = await team.continueRun(stored(paused), [{ toolCallId: "call-0/Pay 120 €?", approved: true }]);

    expect(paused).toMatchObject({
      status: "PAUSED",
      pause: { requirements: [{ toolName: "Pay 120 €?", toolArgs: { price: 120, agent: "Buyer" } }] },
    });
    expect(done).toMatchObject({ status: "COMPLETED", sessionState: { heard: "a lamp", priced: 1 } });
    expect(done.memberRuns).toMatchObject([{ memberName: "Buyer", content: "bought for 120" }]);
    expect(seen).toEqual({ begun: 2, prices: 1 });
  });

  it("may be around another one, and read it late", async () => {
    const { executor, seen } = buyer();
    let began = 0;
    const { team } = teamOf({
      kind: "agent",
      name: "Wrapper",
      async execute(request) {
        began++;
        await Promise.resolve();
        return executor.execute({ ...request, input: "a chair" }).catch(() => ended("none", "caught") as never);
      },
    });

    const paused = await team.run("Buy");
    const done = await team.continueRun(paused, [{ toolCallId: "call-0/Pay 120 €?", approved: true }]);

    expect(done.memberRuns).toMatchObject([{ memberName: "Wrapper", content: "bought for 120" }]);
    expect(done.sessionState).toMatchObject({ priced: 1 });
    expect([began, seen.begun]).toEqual([3, 2]); // once to see that it needs a context
  });

  it("gets the fields of its question", async () => {
    const { team } = teamOf({
      kind: "agent",
      name: "Fitter",
      async execute({ ctx, idempotencyKey }: MemberRequest) {
        const { size } = await ctx.ask({ title: "Which size?", schema: z.object({ size: z.number() }) });
        return ended(idempotencyKey, size) as never;
      },
    });

    const paused = await team.run("Go");
    const answer = { toolCallId: "call-0/Which size?", approved: true, values: { size: 43 } };
    const done = await team.continueRun(paused, [answer]);

    expect(done.memberRuns).toMatchObject([{ content: 43 }]);
  });

  it("cannot end a call with an edit, nor use the context of a call that is over", async () => {
    const problems: unknown[] = [];
    const { team } = teamOf({
      kind: "agent",
      name: "Careless",
      async execute({ ctx, callContext, idempotencyKey }: MemberRequest) {
        const call = await ctx.run("edit", (one) => {
          try {
            return one.finish(() => null) as never;
          } catch (error) {
            problems.push(error);
            return null;
          }
        });
        let late: Parameters<MemberRequest["callContext"]>[0] | undefined;
        await ctx.run("late", (one) => void (late = one));
        try {
          callContext(late as never);
        } catch (error) {
          problems.push(error);
        }
        return ended(idempotencyKey, call) as never;
      },
    });

    await team.run("Go");

    expect(problems).toMatchObject([{ code: "OPTION_INVALID" }, { code: "ATTEMPT_ENDED" }]);
  });
});

it("a member of a user's own that does not read `ctx` is one recorded call", async () => {
  let made = 0;
  const executor: Executor = {
    kind: "agent",
    name: "Plain",
    execute: async ({ idempotencyKey }) => ended(idempotencyKey, `made ${++made}`) as never,
  };
  const fails = () => {
    throw new TypeError("the model is down");
  };
  const model = scripted([[["delegate_task_to_member", { member: "plain", task: "go" }]], fails, "done"]);
  const team = new Team({ name: "Shop", model, members: [executor], sessions: memorySessions() });

  await expect(team.run("Go", { runId: "r1" })).rejects.toMatchObject({ code: "AGENT_FAILED" });
  const done = await team.continueRun({ runId: "r1" }, []);

  expect(done).toMatchObject({ content: "done", memberRuns: [{ content: "made 1" }] });
  expect(made).toBe(1);
});
