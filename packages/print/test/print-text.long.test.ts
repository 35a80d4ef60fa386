import { Step } from "@millrace/pipeline";
import { afterEach, expect, it, vi } from "vitest";
import { printOutput, printPipelineResponse } from "../src/index.js";
import { pipeline, speaks, target } from "./support/printing.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.doUnmock("markdansi");
});

const esc = "\u001b";
const returns = (content: unknown) => new Step({ name: "a", executor: () => content });
const says = (...texts: string[]) => new Step({ name: "a", executor: speaks(...texts) });

/** What stands under the step's name. */
async function printed(
  step: Step,
  options: Parameters<typeof printPipelineResponse>[2] = {},
  shape = {},
): Promise<string> {
  const out = target(shape);
  await printPipelineResponse(pipeline(step), "x", { out, ...options });
  return out.text().replace(/^[\s\S]*── a[^\n]*\n/, "");
}

it("in a terminal Markdown is rendered in colours and wrapped at its width", async () => {
  vi.stubEnv("NO_COLOR", undefined);
  const text = await printed(returns("# Title\n\nsome **bold** text that is long"), {}, { isTTY: true, columns: 20 });

  expect(text).toBe(
    `${esc}[33m${esc}[1mTitle${esc}[22m${esc}[39m\n\nsome ${esc}[1mbold${esc}[22m text that\nis long\n`,
  );
});

it("NO_COLOR leaves the layout, and a file gets the text as it is", async () => {
  vi.stubEnv("NO_COLOR", "1");
  const markdown = "some **bold** text";

  expect(await printed(returns(markdown), {}, { isTTY: true })).toBe("some bold text\n");
  expect(await printed(returns(markdown))).toBe("some **bold** text\n");
  expect(await printed(returns(markdown), { markdown: true })).toBe("some bold text\n");
  expect(await printed(returns(markdown), { markdown: false }, { isTTY: true })).toBe("some **bold** text\n");
});

it("streamed Markdown is rendered block by block: lists with their insides, tables and code as a whole", async () => {
  const markdown =
    "1. one **b**\n   - in\n\n   more\n2. two\n\n```ts\na\n\nb\n```\n\n|a|b|\n|-|-|\n|水|1|\n\nThe *end*";

  const text = await printed(says(...(markdown.match(/[\s\S]{1,3}/g) as string[])), { markdown: true });

  expect(text).toBe(`1. one b
  - in
  more

2. two

┌ [ts]─┐
│ a    │
│      │
│ b    │
└──────┘

┌────┬────┐
│ a  │ b  │
├────┼────┤
│ 水 │ 1  │
└────┴────┘

The end
`);
});

const attack = `a${esc}[31mred${esc}[0m${esc}]0;title\u0007b${esc}]8;;http://x${esc}\\c\u009b2Jd\u0008\r\u0007\u0000\u007f\te\r\nf`;

it("no control characters reach the terminal, rendered, streamed or plain", async () => {
  const clean = "aredbcd\te\nf\n";

  expect(await printed(returns(attack))).toBe(clean);
  expect(await printed(says(...attack.split("")))).toBe(clean);
  expect(await printed(says(attack.slice(0, 20), attack.slice(20)))).toBe(clean);
  expect(await printed(returns({ a: attack }))).not.toMatch(/[^\P{Cc}\n]/u);
  expect(await printed(returns(attack), { markdown: true })).not.toMatch(/[^\P{Cc}\t\n]/u);
});

it("no character that reverses a text reaches the terminal, and joiners of letters do", async () => {
  const text = "a\u202egnp.exe\u2066b\u200fc\u200b میخواهم 👩‍💻";
  const clean = "agnp.exebc میخواهم 👩‍💻\n";

  expect(await printed(returns(text))).toBe(clean);
  expect(await printed(says(...text))).toBe(clean);
  expect(await printed(returns("a&#8238;b"), { markdown: true }, { isTTY: true })).not.toContain("\u202e");
});

it("Markdown's entities cannot bring them in", async () => {
  const markdown = "a&#27;[8mb&#x1B;]0;t&#7;c&#x9b;2J&#0000027;[31m";

  const text = await printed(returns(markdown), {}, { isTTY: true });

  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  expect(text).toContain("a&#27;[8mb");
});

it("names, inputs and errors are cleaned as well", async () => {
  const out = target();
  const fails = new Step({
    name: `x${esc}[31m`,
    executor: () => {
      throw new Error(`no${esc}[2J`);
    },
  });

  await expect(printPipelineResponse(pipeline(fails), `in${esc}[2J`, { out, showSteps: true })).rejects.toThrow();

  expect(out.text()).not.toContain(esc);
});

it("an escape sequence that never ends loses no text", async () => {
  expect(await printed(says("a", `${esc}]`, "0;b", "c"))).toBe("a]0;bc\n");
});

it("characters that a piece cuts in two stay whole", async () => {
  const out = target();
  const pieces = ["日本\ud83d", "\ude00!", "👩‍👩‍👧"];

  await printPipelineResponse(pipeline(says(...pieces)), "x", { out });

  expect(out.text()).toContain("── a\n日本😀!👩‍👩‍👧\n");
  expect(out.writes.every((text) => Buffer.from(text).toString() === text)).toBe(true);
});

it.each([
  ["one word", "a".repeat(1_000_000)],
  ["paragraphs", "some **words** and `code`\n\n".repeat(37_000)],
  ["lines", "some words\n".repeat(90_000)],
  ["code", `\`\`\`\n${"x = 1\n".repeat(160_000)}\`\`\``],
  ["levels", ">".repeat(20_000)],
  ["open sequences", `${esc}]`.repeat(500_000)],
])("a megabyte of %s is printed in seconds", async (_name, content) => {
  const output = await pipeline(returns(content)).run("x");
  const out = target();
  const startedAtMs = performance.now();

  await printOutput(output, { markdown: true, out });

  expect(out.text()).toMatch(/^Article\nInput: x\n\n── a\n/);
  expect(performance.now() - startedAtMs).toBeLessThan(60_000);
});

it("a megabyte in pieces without a newline is printed in seconds", async () => {
  const piece = "word ".repeat(40);
  const talks = new Step({
    name: "a",
    executor: async function* () {
      for (let i = 0; i < 5_000; i++) yield { event: "RunContent", runId: "run", content: piece };
      return "done";
    },
  });
  const startedAtMs = performance.now();

  const text = await printed(talks, { markdown: true });

  expect(text.length).toBeGreaterThan(900_000);
  expect(text.endsWith("\ndone\n")).toBe(true);
  expect(performance.now() - startedAtMs).toBeLessThan(60_000);
});

it("without its library a terminal gets the text, and who asks for Markdown an error", async () => {
  vi.doMock("markdansi", () => {
    throw new Error("not installed");
  });

  expect(await printed(returns("**b**"), {}, { isTTY: true })).toBe("**b**\n");
  await expect(printed(returns("**b**"), { markdown: true })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  vi.doUnmock("markdansi");
});
