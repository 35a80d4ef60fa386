import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Context } from "millrace";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/temporary-folder.js";
import { ChooseTopics, TopicsChosen } from "./events.js";
import { UserError } from "./user-error.js";
import { DigestFlow } from "./workflow.js";

describe("digest: the workflow", () => {
  it("reads a file again that is missing for a moment", async () => {
    const folder = temporaryFolder("digest-");
    const file = join(folder, "late.md");
    const workflow = new DigestFlow(join(folder, "digest.md"));
    let failures = 0;
    workflow.on("step.failed", () => {
      failures += 1;
      writeFileSync(file, "# Late\n\nBetter late than never.\n");
    });

    const handler = workflow.run({ files: [file] });
    const [asked] = await handler.streamEvents().filter(ChooseTopics).take(1).toArray();
    expect(asked?.event.topics).toEqual([{ name: "other", sections: 1, files: 1 }]);
    expect(failures).toBe(1);
  });

  it("gives up on a file that stays away, after three attempts, and goes on with the others", async () => {
    const folder = temporaryFolder("digest-");
    const [here, away] = [join(folder, "here.md"), join(folder, "away.md")];
    await writeFile(here, "# Here\n\nHere it is.\n");
    const workflow = new DigestFlow(join(folder, "digest.md"));
    const attempts: string[] = [];
    workflow.on("step.failed", ({ step, attempt, final }) => {
      attempts.push(`${step} ${attempt} ${final ? "for good" : "again"}`);
    });

    const handler = workflow.run({ files: [away, here] });
    await handler.streamEvents().until(ChooseTopics).toArray();
    await handler.sendEvent(new TopicsChosen({ keep: [1] }));

    expect(await handler).toMatchObject({
      sections: 1,
      skipped: [{ file: away, reason: expect.stringContaining("ENOENT") }],
    });
    expect(attempts).toEqual(["read 1 again", "read 2 again", "read 3 for good"]);
  });

  it("does not read again what is not a string", async () => {
    const folder = temporaryFolder("digest-");
    const file = join(folder, "photo.md");
    await writeFile(file, new Uint8Array([0xff, 0xd8]));
    const workflow = new DigestFlow(join(folder, "digest.md"));
    let failures = 0;
    workflow.on("step.failed", ({ step }) => {
      if (step === "read") failures += 1;
    });

    await expect(workflow.run({ files: [file] })).rejects.toThrow(UserError);
    expect(failures).toBe(1);
  });

  it("counts as it goes, and keeps the counts over a restore", async () => {
    const folder = temporaryFolder("digest-");
    const file = join(folder, "a.md");
    await writeFile(file, "# A\n\nText of a.\n\n# B\n\nText of b.\n");
    const workflow = new DigestFlow(join(folder, "digest.md"));
    const handler = workflow.run({ files: [file] });
    await handler.idle();

    const restored = Context.fromDict(workflow, JSON.parse(JSON.stringify(handler.context.toDict())));

    expect(await restored.store.getState()).toEqual({
      files: 1,
      filesDone: 1,
      filesSkipped: 0,
      sections: 2,
      sectionsDone: 2,
    });
  });
});
