import * as z from "zod";
import { Agent, tool } from "../../src/index.js";
import { answers, calls, says } from "./turns.js";

/** A world of its own for each try: what the process did before a crash stays done. */
export function clerkWorld() {
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
