/** A person allows what members of a team want to do. */
import { describe, expect, it } from "vitest";
import { Agent, type ExecutorEvent, memorySessions, Team } from "../src/index.js";
import { namesOf } from "./support/events.js";
import { scripted, toolOutputs, userTexts } from "./support/models.js";
import { allow, deny, look, refund, request, stored } from "./support/refunds.js";

const delegate = (member: string, task: string) => ["delegate_task_to_member", { member, task }] as const;
const outputs = (options: Parameters<typeof toolOutputs>[0]): string => JSON.stringify(toolOutputs(options));
const refunding = (order: number) => [["refund", { order }]] as const;

function teamOf(scripts: Readonly<Record<"leader" | "one" | "two", Parameters<typeof scripted>[0]>>) {
  const models = { leader: scripted(scripts.leader), one: scripted(scripts.one), two: scripted(scripts.two) };
  const team = new Team({
    name: "Desk",
    model: models.leader,
    members: [
      new Agent({ name: "One", model: models.one, tools: [refund] }),
      new Agent({ name: "Two", model: models.two, tools: [look] }),
    ],
    tools: [{ ...refund, name: "leaders_refund" }],
    sessions: memorySessions(),
  });
  return { team, models };
}

describe.each([
  ["answering", undefined],
  ["streaming", () => {}],
])("a member that a person keeps waiting, %s", (_how, listener) => {
  const ask = (more: Parameters<typeof request>[0] = {}) =>
    request({ ...more, ...(listener === undefined ? {} : { stream: listener }) });

  it("pauses its team, which goes on where the member was", async () => {
    const { team, models } = teamOf({
      leader: [[delegate("one", "Refund 7"), delegate("two", "Look at 7")], outputs],
      one: [refunding(7), "Refund made."],
      two: [[["look", { order: 7 }]], "It is fine."],
    });
    const state: Record<string, unknown> = {};

    const paused = await team.execute(ask({ sessionState: state }));

    expect(team.canPause).toBe(true);
    expect(paused).toMatchObject({ status: "PAUSED", metrics: { totalTokens: 4 * 15 } });
    expect(paused.pause?.requirements).toEqual([
      { toolCallId: "call-0/call-0", toolName: "refund", toolArgs: { order: 7 } },
    ]);
    expect(paused.memberRuns.map(({ memberId }) => memberId)).toEqual(["two"]);

    const resume = { state: stored(paused.pause?.state), answers: allow("call-0/call-0") };
    const done = await team.execute(ask({ sessionState: state, resume }));

    expect(done).toMatchObject({ status: "COMPLETED", runId: paused.runId });
    expect(JSON.parse(done.content as string)).toEqual(
      expect.arrayContaining([
        { type: "text", value: "Refund made." },
        { type: "text", value: "It is fine." },
      ]),
    );
    expect(state["refunds"]).toEqual([7]);
    expect(done.memberRuns).toMatchObject([
      { memberId: "two", content: "It is fine." },
      { memberId: "one", task: "Refund 7", content: "Refund made.", metrics: { totalTokens: 30 } },
    ]);
    expect(done.metrics.totalTokens).toBe(6 * 15);
    expect(done.tools.filter(({ toolName }) => toolName === "delegate_task_to_member")).toHaveLength(2);
    const calls = [...models.one.doGenerateCalls, ...models.one.doStreamCalls];
    expect(calls.map(userTexts)).toEqual([["Refund 7"], ["Refund 7"]]);
  });

  it("may pause again, while an answer to the leader's own call is kept", async () => {
    const { team } = teamOf({
      leader: [[delegate("one", "Refund"), ["leaders_refund", { order: 9 }]], outputs],
      one: [refunding(1), refunding(2), "Both made."],
      two: [],
    });
    const state: Record<string, unknown> = {};

    const first = await team.execute(ask({ sessionState: state }));
    expect(first.pause?.requirements.map(({ toolCallId }) => toolCallId)).toEqual(["call-1", "call-0/call-0"]);

    const answers = [deny("call-1", "not you"), ...allow("call-0/call-0")];
    const second = await team.execute(
      ask({ sessionState: state, resume: { state: stored(first.pause?.state), answers } }),
    );
    expect(second.pause?.requirements).toMatchObject([{ toolCallId: "call-0/call-1", toolArgs: { order: 2 } }]);

    const last = { state: stored(second.pause?.state), answers: allow("call-0/call-1") };
    const done = await team.execute(ask({ sessionState: state, resume: last }));

    expect(done).toMatchObject({ status: "COMPLETED", metrics: { totalTokens: 5 * 15 } });
    expect(done.content).toContain("Both made.");
    expect(done.content).toContain("A person has not allowed this call: not you");
    expect(state["refunds"]).toEqual([1, 2]);
    expect(done.tools).toHaveLength(2);
  });

  it("tells the leader when it fails after the pause", async () => {
    const { team } = teamOf({ leader: [[delegate("one", "Refund")], outputs], one: [refunding(1)], two: [] });
    const paused = await team.execute(ask());

    const resume = { state: stored(paused.pause?.state), answers: allow("call-0/call-0") };
    const done = await team.execute(ask({ resume }));

    expect(done.content).toContain('Agent \\"One\\" failed');
    expect(done.memberRuns).toMatchObject([{ status: "ERROR", error: { code: "AGENT_FAILED" } }]);
  });

  it("goes through teams in teams", async () => {
    const { team: inner } = teamOf({
      leader: [[delegate("one", "Refund")], "inner done"],
      one: [refunding(1), "made"],
      two: [],
    });
    const outer = new Team({
      name: "Outer",
      model: scripted([[delegate("desk", "Do it")], outputs]),
      members: [inner],
    });
    const state: Record<string, unknown> = {};

    const paused = await outer.execute(ask({ sessionState: state }));
    const [requirement] = paused.pause?.requirements ?? [];
    const resume = { state: stored(paused.pause?.state), answers: allow(requirement?.toolCallId ?? "") };
    const done = await outer.execute(ask({ sessionState: state, resume }));

    expect(requirement?.toolCallId).toBe("call-0/call-0/call-0");
    expect(done.content).toContain("inner done");
    expect(done.memberRuns[0]?.memberRuns).toMatchObject([{ memberName: "One", content: "made" }]);
    expect(state["refunds"]).toEqual([1]);
  });
});

it("a paused team shows what its members do, before and after", async () => {
  const { team } = teamOf({ leader: [[delegate("one", "Refund")], "Done."], one: [refunding(1), "Made."], two: [] });
  const events: ExecutorEvent[] = [];
  const stream = (event: ExecutorEvent) => void events.push(event);

  const paused = await team.execute(request({ stream }));
  const before = namesOf(events.splice(0));
  await team.execute(request({ stream, resume: { state: paused.pause?.state, answers: allow("call-0/call-0") } }));

  expect(before).toEqual(["TeamRunStarted", "TeamToolCallStarted", "RunStarted", "RunPaused", "TeamRunPaused"]);
  expect(namesOf(events)).toEqual([
    "TeamRunContinued",
    "RunContinued",
    "ToolCallStarted",
    "ToolCallCompleted",
    "RunContent",
    "RunCompleted",
    "TeamToolCallCompleted",
    "TeamRunContent",
    "TeamRunCompleted",
  ]);
});

it("a team that stands alone goes on in its session", async () => {
  const { team } = teamOf({ leader: [[delegate("one", "Refund")], "Done."], one: [refunding(1), "Made."], two: [] });

  const paused = await team.run("Refund 1");
  const done = await team.continueRun(stored(paused), allow("call-0/call-0"));

  expect(done).toMatchObject({ content: "Done.", sessionState: { refunds: [1] } });
  expect((await team.getSessionMetrics()).totalTokens).toBe(4 * 15);
});
