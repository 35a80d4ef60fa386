/** Crashes an agent at every tick, and counts what its model was asked. */
import { proveResumable } from "@millrace/testing";
import { QuestionEvent } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent, tool } from "../../../src/index.js";
import { sameButTime } from "../../support/endings.js";
import { answers, calls, says } from "../../support/turns.js";

/** A world of its own for each try: what the process did before a crash stays done. */
function world() {
  const seen = { asked: 0, keys: new Set<string>(), executions: 0 };
  const step = ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) => {
    seen.asked++;
    const round = prompt.filter(({ role }) => role === "assistant").length;
    if (round === 0) return calls(["look", { q: "a" }, "a"], ["look", { q: "b" }, "b"]);
    return round === 1 ? calls(["pay", { n: 5 }, "p"]) : says("All done.");
  };
  const run = (output: string, key: string): string => {
    seen.executions++;
    seen.keys.add(key);
    return output;
  };
  const look = tool({
    name: "look",
    description: "Looks.",
    parameters: z.object({ q: z.string() }),
    execute: ({ q }, { idempotencyKey, sessionState }) => {
      sessionState["looks"] = ((sessionState["looks"] as number | undefined) ?? 0) + 1;
      return run(`seen ${q}`, idempotencyKey);
    },
  });
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({ n: z.number() }),
    requiresConfirmation: true,
    execute: ({ n }, { idempotencyKey }) => run(`paid ${n}`, idempotencyKey),
  });
  const make = () =>
    new Agent({ name: "Clerk", model: answers(...Array.from({ length: 9 }, () => step)), tools: [look, pay] });
  return { seen, make };
}

it("ends as an undisturbed run, with each tool under one key and at most one call of the model again", async () => {
  const worlds: ReturnType<typeof world>[] = [];
  const provable = () => {
    const made = world();
    worlds.push(made);
    return { create: () => made.make().workflow, observe: () => [...made.seen.keys].toSorted() };
  };

  const answers = { [QuestionEvent.type]: { approved: true } };
  const proof = await proveResumable(provable, { input: "go" }, { answers, seeds: [1, 2], compare: sameButTime });

  expect(proof.crashes).toBeGreaterThan(15);
  expect(Math.max(...worlds.map(({ seen }) => seen.asked))).toBeLessThanOrEqual(3 + 1);
  expect(worlds.every(({ seen }) => seen.keys.size === 3)).toBe(true);
});
