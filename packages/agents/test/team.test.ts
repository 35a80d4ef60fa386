import { describe, expect, it } from "vitest";
import { Agent, memorySessions, Team, tool } from "../src/index.js";
import { namesOf, readAll } from "./support/events.js";
import { scripted, systemTexts, toolOutputs, userTexts } from "./support/models.js";

const note = tool({
  name: "note",
  description: "Note",
  execute: (_args, { sessionState, addMedia, idempotencyKey }) => {
    (sessionState["notes"] as unknown[]).push("noted");
    addMedia({ kind: "image", id: idempotencyKey, content: "AAAA" });
    return "noted";
  },
});

function researchTeam(leader: Parameters<typeof scripted>[0]) {
  const models = { leader: scripted(leader), news: scripted([[["note", {}]], "News."]), web: scripted(["Web."]) };
  const team = new Team({
    name: "Research Team",
    model: models.leader,
    members: [
      new Agent({ name: "Hackernews Agent", model: models.news, tools: [note], role: "Extract key insights" }),
      new Agent({ name: "Web Agent", model: models.web, role: "Search the web", instructions: "Notes: {notes}" }),
    ],
    instructions: "Research tech topics from Hackernews and the web",
    sessions: memorySessions(),
    sessionState: { notes: [] },
  });
  return { team, models };
}

const delegate = (member: string, task: string) => ["delegate_task_to_member", { member, task }] as const;

describe("a team", () => {
  it("hands tasks to members, which share its state, and sums what they took", async () => {
    const { team, models } = researchTeam([
      [delegate("hackernews-agent", "Top stories")],
      [delegate("web-agent", "Trends")],
      (options) => JSON.stringify(toolOutputs(options)),
    ]);

    const run = await team.run("AI trends in 2024", { userId: "u1" });

    expect(JSON.parse(run.content)).toEqual([
      { type: "text", value: "News." },
      { type: "text", value: "Web." },
    ]);
    expect(systemTexts(models.leader)[0]).toContain("- web-agent (agent): Search the web");
    expect(systemTexts(models.web)).toEqual(['Notes: ["noted"]']);
    expect(models.news.doGenerateCalls.slice(0, 1).flatMap(userTexts)).toEqual(["Top stories"]);
    expect(run.memberRuns.map(({ memberId, task, status }) => [memberId, task, status])).toEqual([
      ["hackernews-agent", "Top stories", "COMPLETED"],
      ["web-agent", "Trends", "COMPLETED"],
    ]);
    expect(run.metrics).toMatchObject({ totalTokens: 6 * 15, details: { model: [{ totalTokens: 90 }] } });
    expect(run.images).toHaveLength(1);
    expect(await team.getSessionState()).toEqual({ notes: ["noted"] });
  });

  it("streams its own events and those of its members", async () => {
    const { team } = researchTeam([[delegate("web-agent", "Trends")], "Done."]);

    const { events } = await readAll(team.stream("AI", { runId: "team-run" }));

    expect(namesOf(events)).toEqual([
      "TeamRunStarted",
      "TeamToolCallStarted",
      "RunStarted",
      "RunContent",
      "RunCompleted",
      "TeamToolCallCompleted",
      "TeamRunContent",
      "TeamRunCompleted",
    ]);
    expect(events[2]).toMatchObject({ agentName: "Web Agent", parentRunId: "team-run" });
    expect(events.at(-1)).toMatchObject({ teamName: "Research Team", teamId: "research-team", runId: "team-run" });
  });

  it("learns that a member failed, and may go on", async () => {
    const model = scripted([[delegate("broken", "Try")], (options) => JSON.stringify(toolOutputs(options))]);
    const team = new Team({ model, members: [new Agent({ name: "Broken", model: scripted([]) })] });

    const run = await team.run("Go");

    expect(run.content).toContain('Agent \\"Broken\\" failed');
    expect(run.memberRuns).toMatchObject([{ status: "ERROR", error: { code: "AGENT_FAILED" } }]);
  });

  it("may have teams as members and borrow a model", async () => {
    const shared = scripted([
      [delegate("inner", "Outer task")],
      [delegate("worker", "Inner task")],
      "work",
      "inner",
      "outer",
    ]);
    const worker = new Agent({ name: "Worker", model: shared });
    const inner = new Team({ name: "Inner", members: [worker] });
    const outer = new Team({ name: "Outer", members: [inner] });

    const run = await outer.run("Go");

    expect(run.content).toBe("outer");
    expect(run.memberRuns[0]).toMatchObject({
      content: "inner",
      memberRuns: [{ memberName: "Worker", content: "work" }],
    });
    expect(run.metrics.totalTokens).toBe(5 * 15);
  });

  it("stops its members when it is cancelled", async () => {
    const abort = new AbortController();
    const slow = scripted([
      ({ abortSignal }) => {
        const aborted = new Promise<never>((_, reject) =>
          abortSignal?.addEventListener("abort", () => reject(abortSignal.reason)),
        );
        abort.abort(new Error("enough"));
        return aborted;
      },
    ]);
    const team = new Team({
      model: scripted([[delegate("slow", "x")]]),
      members: [new Agent({ name: "Slow", model: slow })],
    });

    await expect(team.run("Go", { signal: abort.signal })).rejects.toMatchObject({ code: "RUN_CANCELLED" });
  });

  it.each([
    ["without members", () => new Team({ model: scripted([]), members: [] })],
    ["with twins", () => new Team({ members: ["A b", "a_b"].map((name) => new Agent({ name, model: scripted([]) })) })],
    [
      "without any model",
      () =>
        new Team({ members: [{ kind: "agent", name: "x", execute: () => Promise.reject(new TypeError("never")) }] }),
    ],
  ])("is refused %s", (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
