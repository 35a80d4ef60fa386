/** What a run takes can be loaded in another process; what cannot be loaded is refused where it is given. */

import { fc, test } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { casesOf } from "../../../../test-share.js";
import { memoryStore } from "../../src/entries/runtime.js";
import { valueLimits } from "../../src/value/limits.js";
import { doors, Line, readAll } from "../support/doors.js";
import { limited } from "../support/limited.js";
import { Machine } from "../support/processes.js";

class Tags extends Array<string> {}
class Bag extends Map<string, unknown> {}

const leaf = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, 10n ** 40n, new Date(5), new URL("https://example.org/a?b"), new TypeError("no")),
  fc.uint8Array({ maxLength: 12 }),
  fc.constantFrom(new Tags("a", "b"), new Bag(), () => 1),
);
const key = fc.constantFrom("a", "a.b", "c\\", "", "long".repeat(4));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, depthSize: "medium" },
    leaf,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    fc.array(fc.tuple(tie("value"), tie("value")), { maxLength: 2 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
    tie("value").map((inner) => new Line({ value: inner })),
  ),
}));

const codes = new Set(["taken", "VALUE_UNSERIALIZABLE", "CHILD_FAILED"]);

describe("with limits that are soon reached", () => {
  let restore: () => void = () => {};
  beforeEach(() => {
    restore = limited(valueLimits, { depth: 9, items: 40, characters: 240 });
  });
  afterEach(() => restore());

  describe.each(doors)("$name", (door) => {
    test.prop([value, fc.boolean()], { numRuns: casesOf(25) })(
      "is refused at once, or can be loaded",
      async (given, known) => {
        const events = known ? [Line] : [];
        const machine = new Machine(memoryStore());
        const here = machine.open({ door: door.make({ events }) });

        const told = await door.give(here.runtime as never, given);
        await here.runtime.stop();
        const there = machine.open({ door: door.make({ events }) });

        expect(codes).toContain(told);
        // The runtime still knows no run where the input of one was refused.
        if (told === "taken" || door.name !== "the input of a run") await readAll(there.runtime as never);
        expect(await there.runtime.check()).toMatchObject({ problems: [] });
      },
    );
  });
});
