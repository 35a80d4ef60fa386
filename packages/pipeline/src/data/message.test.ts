import { describe, expect, it } from "vitest";
import { prepareMessage } from "./message.js";

const history = [{ input: "earlier", content: "answer" }];
const block = "<workflow_history_context>\n[run-1]\ninput: earlier\nresponse: answer\n</workflow_history_context>";

describe("prepareMessage", () => {
  it("is the input for the first step, unchanged", () => {
    const input = { topic: "AI" };

    expect(prepareMessage({ input })).toBe(input);
    expect(prepareMessage({ previous: undefined, input: "hello" })).toBe("hello");
  });

  it("is the previous content for a later step, unchanged", () => {
    const previous = { findings: [] };

    expect(prepareMessage({ previous, input: "hello" })).toBe(previous);
  });

  it.each([[undefined], [null], [""]])("is the input again after the content %o", (previous) => {
    expect(prepareMessage({ previous, input: "hello" })).toBe("hello");
  });

  it.each([[0], [false], [[]]])("is %o when the step before returned that", (previous) => {
    expect(prepareMessage({ previous, input: "hello" })).toBe(previous);
  });

  it("puts the history in front, with a blank line, of the previous content", () => {
    expect(prepareMessage({ previous: "draft", input: "hello", history })).toBe(`${block}\n\ndraft`);
  });

  it("turns structured content into text when something is put around it", () => {
    expect(prepareMessage({ input: { topic: "AI" }, history })).toBe(`${block}\n\n{\n  "topic": "AI"\n}`);
  });

  it("leaves the message alone without runs", () => {
    expect(prepareMessage({ input: "hello", history: [] })).toBe("hello");
  });

  it("appends what a person filled in", () => {
    expect(prepareMessage({ input: "hello", humanInput: { tone: "formal", words: 200, tags: ["a"] } })).toBe(
      'hello\n\nUser preferences:\n- tone: formal\n- words: 200\n- tags: [\n  "a"\n]',
    );
  });

  it("appends the rejected output, then the feedback", () => {
    expect(prepareMessage({ input: "hello", retryFeedback: { previousOutput: "v1", feedback: "shorter" } })).toBe(
      "hello\n\nYour previous output:\nv1\n\nFeedback from reviewer:\nshorter",
    );
  });

  it("leaves out the part of the feedback that is missing", () => {
    expect(prepareMessage({ input: "hello", retryFeedback: { feedback: "shorter" } })).toBe(
      "hello\n\nFeedback from reviewer:\nshorter",
    );
    expect(prepareMessage({ input: "hello", humanInput: {}, retryFeedback: {} })).toBe("hello");
  });

  it("has one order for all of it", () => {
    const message = prepareMessage({
      previous: "draft",
      input: "hello",
      history,
      humanInput: { tone: "formal" },
      retryFeedback: { previousOutput: "v1", feedback: "shorter" },
    });

    expect(message).toBe(
      `${block}\n\ndraft\n\nUser preferences:\n- tone: formal\n\nYour previous output:\nv1\n\nFeedback from reviewer:\nshorter`,
    );
  });

  it("has no empty paragraph where there is no input", () => {
    expect(prepareMessage({ input: undefined, humanInput: { tone: "formal" } })).toBe(
      "User preferences:\n- tone: formal",
    );
  });
});
