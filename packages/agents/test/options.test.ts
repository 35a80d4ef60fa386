/** What careless users write: refused at the door, all of it at once. */
import { tool as sdkTool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent, type AgentOptions, type AgentRunOptions, PipelineAgent, Team, tool } from "../src/index.js";
import { scripted } from "./support/models.js";

const model = scripted(["Hello."]);
const problemsOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return (error as { details?: { problems?: unknown } }).details?.problems;
  }
  return "nothing was refused";
};

describe("options", () => {
  it("of an agent are checked all at once, with the name that was meant", () => {
    const look = tool({ name: "look", description: "Looks.", execute: () => "" });
    const foreign = sdkTool({ inputSchema: z.object({}) });
    const options = { instruction: "Be kind.", maxSteps: 0, tools: [look, foreign] } as unknown as AgentOptions;

    expect(problemsOf(() => new Agent(options))).toEqual([
      "`instruction` is not an option (did you mean `instructions`?)",
      "`model` is undefined, not a language model of the AI SDK",
      "`tools` has something that `tool()` did not make: tools of the AI SDK go into `sdkTools`",
      "`maxSteps` is 0, not a whole number from 1",
    ]);
  });

  it("of a team know its own", () => {
    const members = [new Agent({ name: "one", model })];

    expect(problemsOf(() => new Team({ members, member: [] } as never))).toEqual([
      "`member` is not an option (did you mean `members`?)",
    ]);
  });

  it("of an agent before a pipeline", () => {
    expect(problemsOf(() => new PipelineAgent({ model, numHistoryRuns: -1, history: 3 } as never))).toEqual([
      "`history` is not an option (did you mean `addHistory`?)",
      "`numHistoryRuns` is -1, not a whole number from 0 to 1,000",
    ]);
  });

  it("of a continued run and of a tool are checked, too", async () => {
    const agent = new Agent({ name: "one", model });
    const near = "`sessionstate` is not an option (did you mean `sessionState`?)";
    const details = { problems: [near] };

    await expect(agent.continueRun({ runId: "r" }, [], { sessionstate: {} } as never)).rejects.toMatchObject({
      details,
    });
    expect(problemsOf(() => agent.continueStream({ runId: "r" }, [], { sessionstate: {} } as never))).toEqual([near]);
    expect(
      problemsOf(() => tool({ name: "look", description: "", execute: () => "", confirm: true } as never)),
    ).toEqual(["`confirm` is not an option"]);
  });

  it("of a run are checked before the model is called", async () => {
    const agent = new Agent({ name: "one", model });
    const options = { session: "s", images: { url: "https://example.com/a.png" } } as unknown as AgentRunOptions;
    const details = {
      problems: ["`session` is not an option (did you mean `sessionId`?)", "`images` is an object, not a list"],
    };

    await expect(agent.run("Hi", options)).rejects.toMatchObject({ code: "OPTION_INVALID", details });
    expect(() => agent.stream("Hi", options)).toThrow(expect.objectContaining({ code: "OPTION_INVALID", details }));
    expect(model.doGenerateCalls).toEqual([]);
  });
});

it("an agent hands over only to agents of the package", () => {
  const stranger = { kind: "agent" as const, name: "Stranger", execute: () => Promise.reject(new TypeError("never")) };

  expect(() => new Agent({ model: scripted([]), canHandOffTo: [stranger] })).toThrow('`canHandOffTo` has "Stranger"');
});
