import { describe, expect, it } from "vitest";
import { pipelineInputOf, pipelineStateOf } from "./pipeline-input.js";

const done = (name: string, content: unknown) => ({ function: name, content });
const root = { parent: null, outputs: [[done("research", "notes")]], starts: [[0]] };
const stateWith = (frames: object, rest: object = {}) => ({
  request: { input: "mills" },
  frames: { "0": root, ...frames },
  ...rest,
});
const at = (frame: string, place = 0, runId = "r") => ({ runId, frame, at: place });

describe("the input of a step of a pipeline", () => {
  it("is what the step before it has made, beside the input of the run", () => {
    expect(pipelineInputOf(stateWith({}), at("0", 1))).toEqual({ input: "mills", previous: "notes", people: null });
    const first = { request: { input: { topic: "mills" } }, frames: { "0": { ...root, outputs: [[]] } } };
    expect(pipelineInputOf(first, at("0"))).toEqual({ input: { topic: "mills" }, previous: undefined, people: null });
    expect(pipelineInputOf({ done: 1 }, at("0"))).toBeNull();
  });

  it("of a branch is what came before its Parallel, and after one what all branches have made", () => {
    const branches = { parent: "0", outputs: [[done("title", "T"), null]], starts: [[0]] };
    expect(pipelineInputOf(stateWith({ "0/1@2": branches }), at("0/1@2", 1))?.previous).toBe("notes");

    const write = { stepName: "write", stepType: "Parallel", steps: [done("title", "T"), done("body", "B")] };
    const after = { ...root, outputs: [[done("research", "notes"), write]] };
    expect(pipelineInputOf(stateWith({ "0": after }), at("0", 2))?.previous).toEqual({ title: "T", body: "B" });
  });

  it("of an iteration begins before the loop, unless the loop forwards its outputs", () => {
    const loop = { parent: "0", outputs: [[done("edit", "one")]], starts: [[0, 1]] };
    expect(pipelineInputOf(stateWith({ "0/1@3": loop }), at("0/1@3"))?.previous).toBe("notes");
    const forwarding = { ...loop, forwards: true };
    expect(pipelineInputOf(stateWith({ "0/1@3": forwarding }), at("0/1@3"))?.previous).toBe("one");
  });

  it("of a group is its last step that has run", () => {
    const steps = {
      stepType: "Steps",
      content: "Ran 2 steps",
      steps: [done("a", "A"), { ...done("b", "B"), skipped: true }],
    };
    const frame = { ...root, outputs: [[steps]] };
    expect(pipelineInputOf(stateWith({ "0": frame }), at("0", 1))?.previous).toBe("A");
  });

  it("of a nested pipeline is in the state of the outermost, with the answers of people", () => {
    const reviews = { "0:1": { userInput: { tone: "dry" }, feedback: null } };
    const nested = { "r/4": stateWith({}, { request: { input: "inner" }, reviews }) };
    expect(pipelineInputOf(stateWith({}, { nested }), at("0", 1, "r/4"))).toEqual({
      input: "inner",
      previous: "notes",
      people: { tone: "dry" },
    });
  });
});

describe("the state of a pipeline", () => {
  it("is its session and its outputs by step, and the rest apart", () => {
    const write = {
      stepType: "Parallel",
      steps: [
        { stepName: "title", content: "T" },
        { stepName: "body", content: "B" },
      ],
    };
    const frame = { ...root, outputs: [[{ stepName: "research", content: "notes" }, write, null]] };
    const state = stateWith({ "0": frame }, { session: { count: 1 }, visits: 3 });

    expect(pipelineStateOf(state)).toEqual({
      session: { count: 1 },
      outputs: { research: "notes", title: "T", body: "B" },
      internals: { request: { input: "mills" }, frames: { "0": frame }, visits: 3 },
    });
    expect(pipelineStateOf({ done: 1 })).toBeNull();
    expect(pipelineStateOf(null)).toBeNull();
  });
});
