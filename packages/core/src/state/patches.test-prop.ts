import { fc, test } from "@fast-check/vitest";
import { createDraft, enableMapSet, finishDraft } from "immer";
import { describe, expect } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { inOrder, record, replayed, scramble, value } from "../../test/support/random-states.js";
import { freezeState } from "../value/freeze.js";
import { diffState } from "./patches.js";

enableMapSet();

function replay(before: unknown, after: unknown): unknown {
  const { patches } = diffState(before, after);
  return patches === null ? after : replayed(before, patches);
}

describe("diffState", () => {
  test.prop([record, record], { numRuns: casesOf(500) })(
    "patches lead from any state to any other, order included, through text",
    (before, after) => {
      freezeState(before);

      expect(inOrder(replay(before, after))).toStrictEqual(inOrder(after));
    },
  );

  test.prop([record, fc.array(fc.nat(1000), { maxLength: 12 })], { numRuns: casesOf(1000) })(
    "patches of an edited draft produce the edited state",
    (before, choices) => {
      freezeState(before);
      const copy = structuredClone(before);
      const draft = createDraft(before);
      scramble(draft, choices);
      const after = finishDraft(draft);

      expect(inOrder(replay(before, after))).toStrictEqual(inOrder(after));
      expect(before).toStrictEqual(copy);
    },
  );

  test.prop([value])("a value does not differ from its copy", (given) => {
    // A Map or Set with objects in its keys has other keys in the copy; a Date has another identity.
    fc.pre(!/\[Map\]|\[Set\]|\[Date\]/.test(kinds(given)));

    expect(diffState({ given }, structuredClone({ given })).patches).toEqual([]);
  });
});

function kinds(part: unknown): string {
  if (part instanceof Map) return "[Map]";
  if (part instanceof Set) return "[Set]";
  if (part instanceof Date) return "[Date]";
  return typeof part === "object" && part !== null ? Object.values(part).map(kinds).join() : "";
}
