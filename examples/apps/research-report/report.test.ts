import { proveResumable, runToEnd } from "@millrace/testing";
import { expect, it } from "vitest";
import { research } from "./flows.js";

const input = { topic: "Rivers", questions: ["Longest?", "Deepest?", "Coldest?"] };

it("writes a report of all findings, in the order of the questions", async () => {
  const prompts: string[] = [];
  const Research = research(async (prompt) => {
    prompts.push(prompt);
    return prompt.startsWith("Report") ? prompt : `about ${prompt.split(": ")[1]}`;
  });

  const { result } = await runToEnd(new Research(), input);

  expect(result).toMatchObject({ missing: 0 });
  expect(prompts).toHaveLength(4);
  expect(prompts.at(-1)).toMatch(/Longest\?\nabout Longest\?\n\nDeepest\?[\s\S]*Coldest\?/);
});

it("tries a question four times, and says in the report that it is missing", async () => {
  let failures = 0;
  const Research = research(async (prompt) => {
    if (!prompt.includes("Deepest") || prompt.startsWith("Report")) return "fine";
    failures += 1;
    throw new Error("overloaded");
  });

  const { result } = await runToEnd(new Research(), input);

  expect(result).toMatchObject({ missing: 1, text: "fine" });
  expect(failures).toBe(4);
});

it("survives a crash at every tick, with the same report", async () => {
  const Research = research(async (prompt) => `about ${prompt.length}`);

  await proveResumable(() => new Research(), input);
});
