/** Crashes a team at every tick. */
import { proveResumable } from "@millrace/testing";
import { QuestionEvent } from "millrace";
import { expect, it } from "vitest";
import { Agent, Team, tool } from "../../../src/index.js";
import { sameButTime } from "../../support/endings.js";
import { answers, calls, type ModelAnswer, says } from "../../support/turns.js";

it("ends as an undisturbed run, with members that ask, guards, and an agent that takes over", async () => {
  const keys: Set<string>[] = [];
  const provable = () => {
    const seen = new Set<string>();
    keys.push(seen);
    return { create: () => houseOf(seen).workflow, observe: () => [...seen].toSorted() };
  };

  const answers = { [QuestionEvent.type]: { approved: true } };
  const proof = await proveResumable(provable, { input: "go" }, { answers, seeds: [1], compare: sameButTime });

  expect(proof.crashes).toBeGreaterThan(20);
  expect(keys.every(({ size }) => size === 2)).toBe(true);
});

/** Two members pay at the same time, each with a person's permission; then the poet takes over. */
function houseOf(keys: Set<string>): Team {
  const pay = tool({
    name: "pay",
    description: "Pays.",
    requiresConfirmation: true,
    execute: (_args, { idempotencyKey, sessionState }) => {
      keys.add(idempotencyKey);
      sessionState["paid"] = ((sessionState["paid"] as number | undefined) ?? 0) + 1;
    },
  });
  const byRound = (...turns: readonly ModelAnswer[]) => {
    const turn = ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }): ModelAnswer =>
      turns[prompt.filter(({ role }) => role === "assistant").length] ?? says("lost");
    return answers(...Array.from({ length: 9 }, () => turn));
  };
  const member = (name: string) =>
    new Agent({ name, model: byRound(calls(["pay", {}, "c"]), says("paid")), tools: [pay] });
  const poet = new Agent({ name: "poet", model: byRound(says("?"), says("?"), says("A poem.")) });
  const tasks = ["one", "two"].map((name) => ["delegate_task_to_member", { member: name, task: "pay" }, name] as const);
  return new Team({
    name: "House",
    model: byRound(calls(...tasks), calls(["transfer_to_poet", {}, "t"])),
    members: [member("one"), member("two")],
    canHandOffTo: [poet],
    guards: { input: () => ({ change: "gone" }), toolOutput: ({ output }) => ({ change: `${output}!` }) },
  });
}
