import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { temporaryFolder } from "../test/temporary-folder.js";
import { digestMark } from "./digest-markdown.js";

const cats =
  "# Cats\n\nCats sleep all day. Cats eat fish. Nobody owns cats.\n\n## Food of cats\n\nCats eat fish and mice.\n";
const dogs =
  "# Dogs\n\nDogs bark at night. Dogs love people.\n\n## Food of dogs\n\nDogs eat everything; dogs eat fish.\n";

let folder: string;
const digest = (...args: string[]) => runExample("digest/main.ts", { args, cwd: folder });
const read = (name: string) => readFile(join(folder, name), "utf8");

beforeEach(async () => {
  folder = temporaryFolder("digest-");
  await mkdir(join(folder, "notes"));
  await writeFile(join(folder, "notes", "cats.md"), cats);
  await writeFile(join(folder, "notes", "dogs.md"), dogs);
});

describe("digest", () => {
  it("asks, stops, and goes on in another process", async () => {
    const asked = await digest("notes", "--pause");
    const written = await digest("--keep", "1");

    expect(asked.output).toMatch(/Sections: 4 of 4 summarised/);
    expect(asked.output).toMatch(/1 {2}cats +2 sections in 1 file/);
    expect(asked.output).toMatch(/npm start -- --keep 1/);
    expect(written).toMatchObject({ exitCode: 0, errors: "" });
    expect(written.output).toBe("\ndigest.md: 2 sections of 1 file about cats.\n");
    expect(await readdir(folder)).toEqual(["digest.md", "notes"]);
    expect(await read("digest.md")).toBe(
      `${digestMark}\n\n# Digest\n\n2 sections of 1 file in 1 topic: cats.\n\n## cats\n\n### notes/cats.md\n\n` +
        "- **Cats** Cats sleep all day. Cats eat fish.\n- **Food of cats** Cats eat fish and mice.\n",
    );
  });

  it("digests the documentation of the repository by default, and answers itself without a terminal", async () => {
    const { exitCode, output } = await digest();

    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /1 cannot be read.*The run waits in digest\.paused\.json.*No terminal here to answer.*digest\.md: \d+ sections/s,
    );
    expect(await read("digest.md")).toMatch(/## Not read\n\n.*latin-1\.txt: not UTF-8: byte 0xe9 at offset 21\n$/);
  });

  it("keeps what is done when it is interrupted", async () => {
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => writeFile(join(folder, "notes", `${index}.md`), cats.repeat(20))),
    );

    const stopped = await runExample("digest/main.ts", {
      args: ["notes", "--pause"],
      cwd: folder,
      interruptAt: /Reading files/,
    });
    const asked = await digest("--pause");

    expect(stopped.exitCode).toBe(130);
    expect(stopped.output).toMatch(/Stopped\. What is done is kept in digest\.paused\.json; run again to go on\.\n$/);
    expect(stopped.output).not.toMatch(/Files: 202 of 202/);
    expect(asked.output).toMatch(/Files: 202 of 202.*Which topics/s);
  });

  it("tells a mistake in one sentence, with exit code 1", async () => {
    const { exitCode, output, errors } = await digest("nots", "--pause");

    expect(errors).toBe(`✖ Cannot open "nots" (no such file or folder). Name a file or folder that exists.\n`);
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: "" });
  });
});
