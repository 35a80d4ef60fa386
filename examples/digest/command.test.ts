import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.js";
import { runCommand } from "./command.js";
import { UserError } from "./user-error.js";

const wayOut = "Run again with --fresh to start over.";
const home = process.cwd();
const printed: string[] = [];

beforeEach(async () => {
  const folder = temporaryFolder("digest-");
  onTestFinished(() => process.chdir(home)); // nothing works in a folder that is gone
  await mkdir(join(folder, "notes"));
  await writeFile(join(folder, "notes", "cats.md"), "# Cats\n\nCats sleep. Cats eat.\n");
  await writeFile(join(folder, "notes", "dogs.md"), "# Dogs\n\nDogs bark. Dogs eat.\n");
  process.chdir(folder);
  printed.length = 0;
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  vi.spyOn(console, "log").mockImplementation((text: unknown) => void printed.push(String(text)));
});

describe("digest: the command", () => {
  it("prints its usage", async () => {
    expect(await runCommand(["--help"])).toBe(0);
    expect(printed.join()).toMatch(/npm start -- --keep 1,3/);
  });

  it("asks again while it waits", async () => {
    await runCommand(["notes", "--pause"]);
    const first = printed.splice(0).filter((line) => !/Files|Sections|❯/.test(line));

    await runCommand(["--pause"]);

    expect(printed.join()).toMatch(/Which topics/);
    expect(first.join("\n")).toContain(printed.join("\n"));
  });

  it("starts over with --fresh", async () => {
    await runCommand(["notes", "--pause"]);

    expect(await runCommand(["--fresh", "--pause", "notes/dogs.md"])).toBe(0);
    expect(JSON.parse(await readFile("digest.paused.json", "utf8")).paths).toEqual(["notes/dogs.md"]);
  });

  it("keeps all topics with --keep all", async () => {
    await runCommand(["notes", "--pause"]);

    expect(await runCommand(["--keep", "all"])).toBe(0);
    expect(printed.at(-1)).toMatch(/^\ndigest\.md: 2 sections of 2 files/);
  });
});

describe("digest: mistakes", () => {
  const oneSentence = async (args: readonly string[], sentence: string) => {
    await expect(runCommand(args)).rejects.toThrow(new UserError(sentence));
  };

  it.each([
    [["nots", "--pause"], `Cannot open "nots" (no such file or folder). Name a file or folder that exists.`],
    [["--keep", "1"], "No digest waits here, so there are no topics to keep yet. Run without --keep first."],
    [["--keep", "cats"], `"cats" does not say which topics to keep: give their numbers, such as 1,3, or all.`],
    [["--kepe", "1"], "Unknown option '--kepe'. See --help."],
  ])("answers %j with one sentence", oneSentence);

  it("names an empty folder", async () => {
    await mkdir("empty");

    await oneSentence(
      ["empty", "--pause"],
      `"empty" holds no Markdown or text file (.md, .markdown, .txt). Name another folder, or name files one by one.`,
    );
  });

  it("says when nothing can be read", async () => {
    await writeFile("photo.txt", new Uint8Array([137, 80, 78, 71, 0, 0]));

    await oneSentence(
      ["photo.txt", "--pause"],
      "None of the files can be read. photo.txt: binary: a zero byte at offset 4.",
    );
  });

  it("refuses a damaged file, and the file of another program", async () => {
    await writeFile("digest.paused.json", `{"paths":[`);
    await oneSentence(["--keep", "1"], `digest.paused.json is damaged: it is not JSON. ${wayOut}`);

    await writeFile("digest.paused.json", `{"paths":[]}`);
    await oneSentence(
      ["--keep", "1"],
      `digest.paused.json is not a digest that waits (question does not fit). ${wayOut}`,
    );
  });

  it("refuses the snapshot of another workflow, and one whose steps are gone", async () => {
    await runCommand(["notes", "--pause"]);
    const paused = await readFile("digest.paused.json", "utf8");

    await writeFile("digest.paused.json", paused.replace(`"digest"`, `"another"`));
    await oneSentence(
      ["--keep", "1"],
      `digest.paused.json cannot be continued: The snapshot is of the workflow "another", not of "digest". ${wayOut}`,
    );

    await writeFile("digest.paused.json", paused.replaceAll(`"choose"`, `"chose"`));
    await expect(runCommand(["--keep", "1"])).rejects.toThrow(
      /cannot be continued: .*"chose".* Run again with --fresh/,
    );
  });

  it("refuses other files and other topics than those of the digest that waits", async () => {
    await runCommand(["notes", "--pause"]);

    await oneSentence(
      ["notes/cats.md", "--pause"],
      "digest.paused.json waits with a digest of notes, not of notes/cats.md. Finish it with --keep, or forget it with --fresh.",
    );
    await oneSentence(["--keep", "9"], "There is no topic 9. Give numbers from 1 to 1, or all.");
  });

  it("does not overwrite somebody's own digest.md", async () => {
    await writeFile("digest.md", "My own digest.");

    await oneSentence(
      ["notes", "--pause"],
      "digest.md is here already and is no digest. Move it, or run in another folder.",
    );
    expect(await readFile("digest.md", "utf8")).toBe("My own digest.");
  });
});
