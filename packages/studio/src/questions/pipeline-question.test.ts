import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import type { Json } from "../api/json.types.js";
import { PipelineQuestion } from "./pipeline-question.js";
import { Facts } from "./question.js";
import { fieldsOfDecision, type Requirement, requirementOf } from "./requirement.js";

vi.hoisted(() => vi.stubGlobal("location", new URL("http://localhost/studio/"))); // read where the module is loaded

function asks(toolArgs: Json, more: Partial<Requirement> = {}): string {
  const requirement: Requirement = {
    kind: "executor",
    stepName: "clean up",
    message: "May it?",
    fields: [],
    choices: [],
    allowMultipleSelections: false,
    output: null,
    tools: [{ toolCallId: "1", toolName: "shell", toolArgs }],
    error: null,
    ...more,
  };
  const props = { requirement, id: "p", mayAnswer: true, isSending: false, onDecide: () => {} };
  return renderToStaticMarkup(createElement(PipelineQuestion, props));
}

describe("the question of an agent in a step", () => {
  const details = { kind: "permission", id: "c1", toolName: "shell", input: { command: "ls" } };
  const promptOf = (given: object) =>
    requirementOf({ event: { type: "millrace.question", title: "May it?", details: given } } as never);

  it("is one of the pipeline, with the call, and is answered with the fields that it asks for", () => {
    const requirement = promptOf({ ...details, stepName: "clean up" }) as Requirement;

    expect(requirement).toMatchObject({ kind: "executor", stepName: "clean up", tools: [{ toolName: "shell" }] });
    expect(fieldsOfDecision(requirement, { decision: "confirm" })).toEqual({ approved: true, note: null });
    expect(fieldsOfDecision(requirement, { decision: "reject", feedback: "no" })).toEqual({
      approved: false,
      note: "no",
    });
  });

  it("has its own form outside of pipelines, and where it asks for something else", () => {
    expect(promptOf(details)).toBeNull();
    expect(promptOf({ ...details, kind: "result", stepName: "clean up" })).toBeNull();
  });
});

const override = "\u202egnp.exe";

describe("a call that a person allows", () => {
  it("is shown with all of its arguments, however long they are", () => {
    const command = `${"echo fine; ".repeat(500)}rm -rf /data`;

    expect(asks({ command })).toContain("rm -rf /data");
    expect(asks(["a", { b: "x".repeat(5_000) }, "the end"])).toContain("the end");
  });

  it.each(["\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\u061c", "\u200b", "\ufeff", "\u0085", "\u{e0041}"])(
    "marks %j, which is not seen",
    (control) => {
      const shown = asks({ file: `a${control}b` });

      expect(shown).toContain(
        `a<mark>U+${(control.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}</mark>b`,
      );
      expect(shown).not.toContain(control);
    },
  );

  it("leaves letters of every script and emoji as they are", () => {
    const text = "שלום می‌خواهم 👩‍💻 größe";

    expect(asks({ text })).toContain(text);
  });

  it("marks what is not seen in every text of the question", () => {
    const shown = asks(
      {},
      {
        stepName: override,
        error: override,
        output: { content: override },
        tools: [{ toolCallId: "1", toolName: override, toolArgs: { [override]: override } }],
      },
    );

    expect(shown).not.toContain("\u202e");
    expect(shown.match(/<mark>U\+202E<\/mark>/g)).toHaveLength(6);
    expect(renderToStaticMarkup(createElement(Facts, { value: { [override]: override } }))).not.toContain("\u202e");
  });
});
