import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { digestMark } from "./digest-markdown.js";

const cats = "# Cats\n\nCats sleep all day. Cats eat fish. Nobody owns cats.\n\n## Food of cats\n\nCats eat fish and mice.\n";
const dogs = "# Dogs\n\nDogs bark at night. Dogs love people.\n\n## Food of dogs\n\nDogs eat everything; dogs eat fish.\n";

let folder: string;
const digest = (...args: string[]) => runExample("digest/main.ts", { args, cwd: folder });
const read = (name: string) => readFile(join(folder, name), "utf8");

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "digest-"));
  await mkdir(join(folder, "notes"));
  await writeFile(join(folder, "notes", "cats.md"), cats);
  await writeFile(join(folder, "notes", "dogs.md"), dogs);
});

describe("digest", () => {
  it("asks, stops, and goes on in another process", async () => {
    const asked = await digest("notes", "--pause");
    const written = await digest("--keep", "1");

    expect(asked.output).toMatch(/Sections: 4 of 4 summarised/);
    expect(asked.output).toMatch(/1 {2}cat +2 sections in 1 file/);
    expect(asked.output).toMatch(/npm start -- --keep 1/);
    expect(written).toMatchObject({ exitCode: 0, errors: "" });
    expect(written.output).toBe("\ndigest.md: 2 sections of 1 file about cat.\n");
    expect(await readdir(folder)).toEqual(["digest.md", "notes"]);
  });

  it("writes the kept topics, and no others", async () => {
    await digest("notes", "--pause");
    await digest("--keep", "1");

    expect(await read("digest.md")).toBe(
      `${digestMark}\n\n# Digest\n\n2 sections of 1 file in 1 topic: cat.\n\n## cat\n\n### notes/cats.md\n\n` +
        "- **Cats** Cats sleep all day. Cats eat fish.\n- **Food of cats** Cats eat fish and mice.\n",
    );
  });

  it("answers itself without a terminal, in two processes", async () => {
    const { exitCode, output } = await digest("notes");

    expect(exitCode).toBe(0);
    expect(output).toMatch(/The run waits in digest\.paused\.json.*No terminal here to answer.*digest\.md: 4 sections of 2 files/s);
  });

  it("digests the documentation of the repository by default, and lists the file that is not UTF-8", async () => {
    const { exitCode, output } = await digest();

    expect(exitCode).toBe(0);
    expect(output).toMatch(/1 cannot be read/);
    expect(await read("digest.md")).toMatch(/## Not read\n\n.*latin-1\.txt: not UTF-8: byte 0xe9 at offset 21\n$/);
  });

  it("asks again while it waits", async () => {
    const first = await digest("notes", "--pause");
    const second = await digest("--pause");

    expect(first.output).toContain(second.output);
  });

  it("starts over with --fresh", async () => {
    await digest("notes", "--pause");
    const { output } = await digest("--fresh", "--pause", "notes/dogs.md");

    expect(output).toMatch(/Files: 1 of 1/);
  });

  it("keeps what is done when it is interrupted", async () => {
    await Promise.all(Array.from({ length: 200 }, (_, index) => writeFile(join(folder, "notes", `${index}.md`), cats.repeat(20))));

    const stopped = await runExample("digest/main.ts", { args: ["notes", "--pause"], cwd: folder, interruptAt: "Reading files" });
    const asked = await digest("--pause");

    expect(stopped.exitCode).toBe(130);
    expect(stopped.output).toMatch(/Stopped\. What is done is kept in digest\.paused\.json; run again to go on\.\n$/);
    expect(stopped.output).not.toMatch(/Files: 202 of 202/);
    expect(asked.output).toMatch(/Files: 202 of 202.*Which topics/s);
  });
});

describe("digest: mistakes", () => {
  const oneSentence = async (args: string[], sentence: string) => {
    const { exitCode, errors } = await digest(...args);

    expect(errors).toBe(`✖ ${sentence}\n`);
    expect(exitCode).toBe(1);
  };

  it.each([
    [["nots"], `Cannot open "nots" (no such file or folder). Name a file or folder that exists.`],
    [["--keep", "1"], "No digest waits here, so there are no topics to keep yet. Run without --keep first."],
    [["--keep", "cats"], `"cats" does not say which topics to keep: give their numbers, such as 1,3, or all.`],
    [["--kepe", "1"], "Unknown option '--kepe'. See --help."],
  ])("answers %j with one sentence", oneSentence);

  it("names an empty folder", async () => {
    await mkdir(join(folder, "empty"));

    await oneSentence(["empty"], `"empty" holds no Markdown or text file (.md, .markdown, .txt). Name another folder, or name files one by one.`);
  });

  it("says when nothing can be read", async () => {
    await writeFile(join(folder, "photo.txt"), new Uint8Array([137, 80, 78, 71, 0, 0]));

    await oneSentence(["photo.txt"], "None of the files can be read. photo.txt: binary: a zero byte at offset 4.");
  });

  it("refuses a damaged file, another program's file, and the snapshot of another workflow", async () => {
    await digest("notes", "--pause");
    const paused = await read("digest.paused.json");
    const replace = (text: string) => writeFile(join(folder, "digest.paused.json"), text);
    const wayOut = "Run again with --fresh to start over.";

    await replace(paused.slice(0, -20));
    await oneSentence(["--keep", "1"], `digest.paused.json is damaged: it is not JSON. ${wayOut}`);
    await replace(`{"paths":[]}`);
    await oneSentence(["--keep", "1"], `digest.paused.json is not a digest that waits (question does not fit). ${wayOut}`);
    await replace(paused.replace(`"digest"`, `"another"`));
    await oneSentence(["--keep", "1"], `digest.paused.json cannot be continued: The snapshot is of the workflow "another", not of "digest". ${wayOut}`);
    await replace(paused);
    await oneSentence(["notes/cats.md"], "digest.paused.json waits with a digest of notes, not of notes/cats.md. Finish it with --keep, or forget it with --fresh.");
    await oneSentence(["--keep", "9"], "There is no topic 9. Give numbers from 1 to 2, or all.");
  });

  it("does not overwrite somebody's own digest.md", async () => {
    await writeFile(join(folder, "digest.md"), "My own digest.");

    await oneSentence(["notes"], "digest.md is here already and is no digest. Move it, or run in another folder.");
    expect(await read("digest.md")).toBe("My own digest.");
  });
});
