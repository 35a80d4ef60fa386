/** Crashes an agent at every tick, and counts what its model was asked. */
import { proveResumable } from "@millrace/testing";
import { QuestionEvent } from "millrace";
import { expect, it } from "vitest";
import { clerkWorld } from "../../support/clerk-world.js";
import { sameButTime } from "../../support/endings.js";

it("ends as an undisturbed run, with each tool under one key and at most one call of the model again", async () => {
  const worlds: ReturnType<typeof clerkWorld>[] = [];
  const provable = () => {
    const made = clerkWorld();
    worlds.push(made);
    return { create: () => made.make().workflow, observe: () => [...made.seen.keys].toSorted() };
  };

  const answers = { [QuestionEvent.type]: { approved: true } };
  const proof = await proveResumable(provable, { input: "go" }, { answers, seeds: [1, 2], compare: sameButTime });

  expect(proof.crashes).toBeGreaterThan(15);
  expect(Math.max(...worlds.map(({ seen }) => seen.asked))).toBeLessThanOrEqual(3 + 1);
  expect(worlds.every(({ seen }) => seen.keys.size === 3)).toBe(true);
});
