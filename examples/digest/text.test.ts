import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.js";
import { isPassing, readText } from "./read-text.js";
import { sectionsOf } from "./sections.js";
import { summarise } from "./summary.js";
import { topicsOf } from "./topics.js";

async function fileWith(bytes: Uint8Array): Promise<string> {
  const file = join(temporaryFolder("text-"), "file.txt");
  await writeFile(file, bytes);
  return file;
}

describe("readText", () => {
  it.each([
    [[0x61, 0x62, 0x00], "binary: a zero byte at offset 2"],
    [[0xe9], "not UTF-8: byte 0xe9 at offset 0"],
    [[0x61, 0xe9, 0x20, 0x62], "not UTF-8: byte 0xe9 at offset 1"],
    [[0xc3, 0xa9, 0xff], "not UTF-8: byte 0xff at offset 2"],
  ])("says where %j goes wrong", async (bytes, reason) => {
    await expect(readText(await fileWith(new Uint8Array(bytes)))).rejects.toThrow(reason);
  });

  it("reads what is UTF-8", async () => {
    expect(await readText(await fileWith(new TextEncoder().encode("crème")))).toBe("crème");
  });

  it("tells what passes from what stays", async () => {
    const missing = await readText("/no/such/file").catch((error: unknown) => error);
    const binary = await readText(await fileWith(new Uint8Array([0]))).catch((error: unknown) => error);

    expect([isPassing(missing), isPassing(binary)]).toEqual([true, false]);
  });
});

describe("sectionsOf", () => {
  it("gives each heading its prose, without code and tables", () => {
    const markdown =
      "Before.\n\n# One\n\nText\nof one.\n\n```ts\ncode\n```\n\n- an item\n- another one\n\n## Two\n\n| a | b |\n|---|---|\n\n# Three\n\n> Quoted.\n";

    expect(sectionsOf(markdown, "file.md")).toEqual([
      { title: "file.md", text: "Before." },
      { title: "One", text: "Text of one.\nan item.\nanother one." },
      { title: "Three", text: "Quoted." },
    ]);
  });

  it("takes plain text as one section", () => {
    expect(sectionsOf("First line\nsecond line\n", "notes.txt")).toEqual([
      { title: "notes.txt", text: "First line second line." },
    ]);
  });
});

describe("summarise", () => {
  it("keeps the sentences with the frequent words, in the order of the text", () => {
    const text = "Mills grind grain. The weather was fine. Water drives the mills. Mills need water and grain.";

    expect(summarise(text).sentences).toEqual(["Mills grind grain.", "Mills need water and grain."]);
  });

  it("names the frequent words, best first, of equals the first in the alphabet", () => {
    expect(summarise("Water, water, mills, mills, grain.").terms.map(({ word }) => word)).toEqual([
      "mills",
      "water",
      "grain",
    ]);
  });

  it("gives the same for the same text, and nothing for nothing", () => {
    expect(summarise("Of the.")).toEqual({ sentences: ["Of the."], terms: [] });
  });
});

describe("topicsOf", () => {
  const section = (title: string, ...words: string[]) => ({
    file: "f.md",
    title,
    sentences: [],
    terms: words.map((word) => ({ word, count: 1 })),
  });

  it("puts every section into one topic, the widest first, and the rest at the end", () => {
    const topics = topicsOf([
      section("a", "mill", "water"),
      section("b", "mill"),
      section("c", "mills"),
      section("d", "water"),
      section("e", "bread"),
      section("f", "rye"),
    ]);

    expect(topics.map(({ name, sections }) => [name, sections.map(({ title }) => title).join()])).toEqual([
      ["mill", "a,b,c"],
      ["other", "d,e,f"],
    ]);
  });
});
