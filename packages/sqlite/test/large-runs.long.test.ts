/** What a large run costs when it is loaded, in processes of their own. */
import { describe, expect, it } from "vitest";
import { Child } from "./child/process.js";
import { temporaryFile } from "./files.js";

const COUNT = "20000";

/** A run of many elements, stored by a process that was killed. Gives the most memory that it had, in kilobytes. */
async function largeRun(path: string): Promise<number> {
  const child = new Child("fan.ts", [path, "run", COUNT]);
  const peak = Number((await child.line()).replace("at work ", ""));
  await child.kill();
  return peak;
}

describe("a large fan-out that is loaded", () => {
  it("needs about the memory that it needed to run", async () => {
    const path = temporaryFile();
    const running = await largeRun(path);

    const child = new Child("fan.ts", [path, "load", COUNT]);
    const lines = [await child.line(), await child.line()];

    const loading = Number(lines.find((line) => line.startsWith("at work"))?.replace("at work ", ""));
    expect(loading / running).toBeLessThan(1.5);
  });

  it("is set aside where there is too little memory for it, and other runs go on", async () => {
    const path = temporaryFile();
    await largeRun(path);

    const child = new Child("fan.ts", [path, "load", COUNT], ["--max-old-space-size=32", "--max-semi-space-size=1"]);

    expect([await child.line(), await child.line()]).toEqual(["log RUN_TOO_LARGE", "small run: completed"]);
  });
});
