/** What recorded functions do through `ctx` counts once over a kill -9. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Child } from "./child/process.js";
import { temporaryDirectory } from "./files.js";

it("what a recorded call has sent and edited is there after a kill right behind its record", {
  timeout: 60_000,
}, async () => {
  const directory = temporaryDirectory();
  const [path, log] = [join(directory, "runs.db"), join(directory, "log")];
  const first = new Child("call-worker.ts", [path, log, "hold"]);
  expect(await first.line()).toBe("recorded");
  await first.kill();
  const second = new Child("call-worker.ts", [path, log, "end"]);
  expect(await second.line()).toBe("recorded");

  expect(JSON.parse(await second.line())).toEqual(["edit", "edit", "edit in run", "run"].toSorted());
  expect(readFileSync(log, "utf8")).toBe("charge\n");
});
