import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { event } from "../event/event.js";
import { EventStream } from "./run-stream.js";

class Beat extends event("Beat") {}
const beat = new Beat();

const act = fc.constantFrom("publish", "read", "rest");

describe("EventStream", () => {
  test.prop([fc.integer({ min: 1, max: 8 }), fc.nat(20), fc.array(act, { maxLength: 60 })])(
    "delivers every event to a reader once and in order, or says that some are gone",
    async (limit, first, acts) => {
      const stream = new EventStream({ limit, nextSequence: first, types: [] });
      const reader = stream.read()[Symbol.asyncIterator]();
      const reads: Promise<number | undefined>[] = [];
      let sequence = first;
      const perform = {
        publish: () => stream.publish({ sequence: sequence++, event: beat, origin: null, promptId: null }),
        read: () =>
          reads.push(
            reader.next().then(
              ({ value }) => value?.sequence,
              (error) => error.code,
            ),
          ),
        rest: () => new Promise((resolve) => setImmediate(resolve)),
      };

      for (const one of acts) await perform[one]();
      stream.end();
      const seen = await Promise.all(reads);

      const numbers = seen.filter((value) => typeof value === "number");
      const start = numbers[0] ?? first;
      expect(numbers).toEqual(numbers.map((_, index) => start + index));
      const rest = seen.slice(numbers.length);
      expect(rest.every((value) => value === undefined || (value as unknown) === "STREAM_TRUNCATED")).toBe(true);
      expect(await stream.read().toArray()).toHaveLength(Math.min(limit, sequence - first));
    },
  );
});
