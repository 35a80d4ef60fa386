/** Agents as a pipeline calls them. */
import { describe, expect, it } from "vitest";
import {
  Agent,
  type ExecutorEvent,
  type ExecutorRequest,
  memorySessions,
  type RunContext,
  tool,
} from "../src/index.js";
import { namesOf } from "./support/events.js";
import { executing } from "./support/in-step.js";
import { scripted, systemTexts, userTexts } from "./support/models.js";
import { addItem } from "./support/shopping.js";

function request(more: Partial<ExecutorRequest> = {}): ExecutorRequest {
  return {
    input: "Hi",
    sessionState: {},
    signal: new AbortController().signal,
    idempotencyKey: "run-1/step-1",
    ...more,
  };
}

describe("execute", () => {
  it("works on the caller's state and keeps no session of its own", async () => {
    const sessions = memorySessions();
    const model = scripted([[["add_item", { item: "milk" }]], "Added."]);
    const state = { shopping_list: ["eggs"] };
    const agent = new Agent({ model, sessions, tools: [addItem], sessionState: { shopping_list: [], limit: 9 } });

    const result = await executing(agent).execute(request({ sessionId: "s1", sessionState: state }));

    expect(result).toMatchObject({ status: "COMPLETED", content: "Added.", error: null });
    expect(state).toEqual({ shopping_list: ["eggs", "milk"], limit: 9 });
    expect(await sessions.load("s1", null, { runs: 1 })).toBeNull();
  });

  it("keeps to the caller's state when a tool assigns another one to the caller's context", async () => {
    const state: Record<string, unknown> = { old: true };
    const replace = tool({
      name: "replace",
      description: "Replace",
      execute: (_args, { runContext }) => {
        runContext.sessionState = { fresh: true };
        return `${runContext.runId} ${(runContext as unknown as PipelineContext).nameOf()}`;
      },
    });
    class PipelineContext {
      readonly runId = "pipeline-run";
      readonly #name = "Digest";
      sessionState = {};
      nameOf(): string {
        return this.#name;
      }
    }
    const agent = new Agent({ model: scripted([[["replace", {}]], "Done."]), tools: [replace] });

    const result = await executing(agent).execute(request({ sessionState: state, runContext: new PipelineContext() }));

    expect(state).toEqual({ fresh: true });
    expect(result.tools[0]?.result).toBe("pipeline-run Digest");
  });

  it("edits the state as the caller's context does", async () => {
    const edited: unknown[] = [];
    const edit = tool({
      name: "edit",
      description: "Edit",
      execute: (_args, { runContext }) => runContext.editState((state) => state["by"]),
    });
    const runContext: Pick<RunContext, "editState"> = {
      editState: async (change) => {
        const result = await change({ by: "the pipeline" });
        edited.push(result);
        return result;
      },
    };

    const agent = new Agent({ model: scripted([[["edit", {}]], "Done."]), tools: [edit] });
    await executing(agent).execute(request({ runContext }));

    expect(edited).toEqual(["the pipeline"]);
  });

  it("answers with an error when the state cannot be written", async () => {
    const agent = new Agent({ model: scripted(["Hi"]), sessionState: { limit: 9 } });

    const result = await executing(agent).execute(request({ sessionState: Object.freeze({}) }));

    expect(result).toMatchObject({ status: "ERROR", error: { code: "AGENT_FAILED" } });
  });

  it("takes the caller's dependencies instead of its own when there are any", async () => {
    const model = scripted(["1", "2"]);
    const agent = new Agent({ model, instructions: "{url}", dependencies: { url: "own" } });

    await executing(agent).execute(request({ runContext: { dependencies: { url: "pipeline" } } }));
    await executing(agent).execute(request({ runContext: { dependencies: {} } }));

    expect(systemTexts(model)).toEqual(["pipeline", "own"]);
  });

  it("answers with an error instead of throwing one", async () => {
    const result = await executing(new Agent({ name: "Writer", model: scripted([]) })).execute(request());

    expect(result).toMatchObject({ status: "ERROR", content: null, error: { code: "AGENT_FAILED" } });
    expect(result.error?.message).toBe('Agent "Writer" failed: the script of scripted has 0 turns');
    expect(result.messages).toEqual([{ role: "user", content: "Hi" }]);
  });

  it("answers that it was cancelled", async () => {
    const abort = new AbortController();
    const model = scripted([
      () => {
        abort.abort(new Error("stop it"));
        return [["add_item", { item: "milk" }]];
      },
    ]);
    const agent = new Agent({ model, tools: [addItem] });
    const state = { shopping_list: [] };

    const result = await executing(agent).execute(request({ signal: abort.signal, sessionState: state }));

    expect(result).toMatchObject({ status: "CANCELLED", error: { code: "RUN_CANCELLED" } });
    expect(state.shopping_list).toEqual([]);
  });

  it("streams when somebody listens", async () => {
    const events: ExecutorEvent[] = [];
    const model = scripted(["Hello you."]);

    await executing(new Agent({ model })).execute(request({ stream: (event) => events.push(event) }));

    expect(namesOf(events)).toEqual(["RunStarted", "RunContent", "RunContent", "RunCompleted"]);
    expect(model.doGenerateCalls).toHaveLength(0);
  });

  it("makes text of structured input and puts history before it", async () => {
    const model = scripted(["ok"]);
    const history = [
      { role: "user", content: "Before" },
      { role: "assistant", content: "Answer" },
    ] as const;

    await executing(new Agent({ model })).execute(request({ input: { topic: "AI", none: undefined }, history }));

    expect(model.doGenerateCalls.flatMap(userTexts)).toEqual(["Before", '{\n  "topic": "AI"\n}']);
  });

  it("counts tokens per model, also of a run that fails later", async () => {
    const model = scripted([[["add_item", { item: "milk" }]]], "small");
    const result = await executing(new Agent({ model, tools: [addItem] })).execute(
      request({ sessionState: { shopping_list: [] } }),
    );

    expect(result.status).toBe("ERROR");
    expect(result.metrics).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      duration: expect.any(Number),
      details: { model: [{ id: "small", provider: "mock", inputTokens: 10, outputTokens: 5, totalTokens: 15 }] },
    });
  });
});

describe("media", () => {
  it("go to the model by url, path or content, and are named in what is kept", async () => {
    const model = scripted(["Nice."]);
    const agent = new Agent({ model, readFile: async () => new Uint8Array([1, 2, 3]) });

    const result = await executing(agent).execute(
      request({
        input: "Look",
        images: [{ kind: "image", id: "1", content: "AAAA", format: "png" }],
        audio: [{ kind: "audio", id: "2", filepath: "/tmp/talk.mp3" }],
        files: [{ kind: "file", id: "3", content: "AAAA", name: "report.pdf" }],
      }),
    );

    const sent = model.doGenerateCalls[0]?.prompt[0]?.content;
    expect(sent).toMatchObject([
      { type: "text", text: "Look" },
      { type: "file", mediaType: "image/png" },
      { type: "file", mediaType: "audio/mpeg" },
      { type: "file", mediaType: "application/pdf", filename: "report.pdf" },
    ]);
    expect(result.messages[0]?.content).toEqual([
      { type: "text", text: "Look" },
      { type: "text", text: "[image/png]" },
      { type: "text", text: "[audio/mpeg]" },
      { type: "text", text: "[application/pdf: report.pdf]" },
    ]);
  });

  it("are an error when nobody can read them", async () => {
    const images = [{ kind: "image" as const, id: "1", filepath: "/tmp/a.png" }];

    const result = await executing(new Agent({ model: scripted(["ok"]) })).execute(request({ images }));

    expect(result).toMatchObject({ status: "ERROR", error: { code: "OPTION_INVALID", details: { mediaId: "1" } } });
  });
});

describe("history", () => {
  it("is of the last runs that completed, tool calls included", async () => {
    const failing = () => Promise.reject(new TypeError("no answer"));
    const calling = [["add_item", { item: "milk" }]] as const;
    const model = scripted(["1", calling, "2", "3", failing, (options) => userTexts(options).join()]);
    const options = { sessions: memorySessions(), addHistoryToContext: true, numHistoryRuns: 2 };
    const agent = new Agent({ model, ...options, tools: [addItem], sessionState: { shopping_list: [] } });

    for (const input of ["a", "b", "c"]) await agent.run(input);
    await expect(agent.run("broken")).rejects.toMatchObject({ code: "AGENT_FAILED" });
    const last = await agent.run("d");

    expect(last.content).toBe("b,c,d");
    const roles = model.doGenerateCalls.at(-1)?.prompt.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant", "user"]);
    expect((await agent.getSessionMetrics()).totalTokens).toBe(75);
  });
});
