/** A person allows what members of a team want to do. */
import { describe, expect, it } from "vitest";
import { Agent, type ExecutorEvent, type ExecutorRequest, memorySessions, Team } from "../src/index.js";
import { namesOf } from "./support/events.js";
import { inStep } from "./support/in-step.js";
import { scripted, toolOutputs, userTexts } from "./support/models.js";
import type { Answered, Asked } from "./support/people.js";
import { allow, look, refund, request, stored } from "./support/refunds.js";

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

const run = (team: Team, more: Partial<ExecutorRequest> = {}, reply?: (asked: Asked) => Answered) => {
  const given = request(more);
  return inStep((ctx) => team.execute({ ...given, ctx }), given, reply);
};

describe.each([
  ["answering", {}],
  ["streaming", { stream: () => {} }],
])("a member that a person keeps waiting, %s", (_how, more) => {
  it("goes on where it was, and works beside another member", async () => {
    const { team, models } = teamOf({
      leader: [[delegate("one", "Refund 7"), delegate("two", "Look at 7")], outputs],
      one: [refunding(7), "Refund made."],
      two: [[["look", { order: 7 }]], "It is fine."],
    });
    const state: Record<string, unknown> = {};

    const { result, asked } = await run(team, { ...more, sessionState: state });

    expect(asked).toMatchObject([{ id: "call-0/call-0", agent: "One", toolName: "refund", input: { order: 7 } }]);
    expect(result).toMatchObject({ status: "COMPLETED", metrics: { totalTokens: 6 * 15 } });
    expect(JSON.parse(result.content as string)).toEqual(
      expect.arrayContaining([
        { type: "text", value: "Refund made." },
        { type: "text", value: "It is fine." },
      ]),
    );
    expect(state["refunds"]).toEqual([7]);
    expect(userTexts(models.one.doGenerateCalls[0] ?? models.one.doStreamCalls[0]!)).toEqual(["Refund 7"]);
  });

  it("asks beside its leader, and again", async () => {
    const { team } = teamOf({
      leader: [[delegate("one", "Refund"), ["leaders_refund", { order: 9 }]], outputs],
      one: [refunding(1), refunding(2), "Both made."],
      two: [],
    });
    const state: Record<string, unknown> = {};

    const { result, asked } = await run(team, { ...more, sessionState: state }, ({ id }) =>
      id === "call-1" ? { approved: false, note: "not you" } : { approved: true },
    );

    expect(asked.map(({ id }) => id).toSorted()).toEqual(["call-0/call-0", "call-0/call-1", "call-1"]);
    expect(result).toMatchObject({ status: "COMPLETED", metrics: { totalTokens: 5 * 15 } });
    expect(result.content).toContain("Both made.");
    expect(result.content).toContain("A person has not allowed this call: not you");
    expect(state["refunds"]).toEqual([1, 2]);
    expect(result.tools).toHaveLength(2);
  });

  it("tells the leader when it fails after the answer", async () => {
    const { team } = teamOf({ leader: [[delegate("one", "Refund")], outputs], one: [refunding(1)], two: [] });

    const { result } = await run(team, more);

    expect(result.content).toContain('Agent \\"One\\" failed');
    expect(result.memberRuns).toMatchObject([{ status: "ERROR", error: { code: "AGENT_FAILED" } }]);
  });

  it("goes through teams in teams", async () => {
    const { team: inner } = teamOf({
      leader: [[delegate("one", "Refund")], "inner done"],
      one: [refunding(1), "made"],
      two: [],
    });
    const model = scripted([[delegate("desk", "Do it")], outputs]);
    const state: Record<string, unknown> = {};

    const { result, asked } = await run(new Team({ name: "Outer", model, members: [inner] }), {
      ...more,
      sessionState: state,
    });

    expect(asked).toMatchObject([{ id: "call-0/call-0/call-0" }]);
    expect(result.content).toContain("inner done");
    expect(result.memberRuns[0]?.memberRuns).toMatchObject([{ memberName: "One", content: "made" }]);
    expect(state["refunds"]).toEqual([1]);
  });
});

it("a team shows what its members do, before and after a question", async () => {
  const { team } = teamOf({ leader: [[delegate("one", "Refund")], "Done."], one: [refunding(1), "Made."], two: [] });
  const events: ExecutorEvent[] = [];
  let before: string[] = [];

  await run(team, { stream: (event) => void events.push(event) }, () => {
    before = namesOf(events.splice(0));
    return { approved: true };
  });

  expect(before).toEqual(["TeamRunStarted", "TeamToolCallStarted", "RunStarted"]);
  expect(namesOf(events)).toEqual([
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
