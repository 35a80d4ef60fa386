/** An owner that is stopped past its lease and goes on as if nothing had happened. Real processes, real signals. */
import { describe, expect, it } from "vitest";
import { type NoteKinds, Notes } from "../soak/notes.js";
import { Child } from "./child/process.js";
import { openRaw, rowsOf, temporaryFile } from "./files.js";

const ofSecond = 'result {"first":"first","second":"second","edits":1}';

function storedTicks(path: string, name: string): { first: number; last: number; epoch: number }[] {
  const stored = new Notes(`${path}.${name}`).all("commits").filter(({ status }) => status === "stored");
  return stored.map(({ first, last, epoch }) => ({ first, last, epoch }));
}

function statusesOf(path: string, name: string): NoteKinds["commits"]["status"][] {
  return new Notes(`${path}.${name}`).all("commits").map(({ status }) => status);
}

/** The first owner is in its step when it is stopped; the second takes the run over and ends it. */
async function takeOver(path: string): Promise<{ readonly first: Child; readonly second: Child }> {
  const first = new Child("owner.ts", [path, "first", "waits"]);
  expect(await first.line()).toBe("in step");
  process.kill(first.pid, "SIGSTOP");
  const second = new Child("owner.ts", [path, "second", "goes on"]);
  expect(await second.line()).toBe("in step");
  expect((await second.rest()).at(-1)).toBe(ofSecond);
  return { first, second };
}

describe("an owner that was stopped past its lease", { timeout: 60_000 }, () => {
  it("has everything refused that its step does when it goes on", async () => {
    const path = temporaryFile();
    const { first } = await takeOver(path);

    first.send("go"); // read as soon as it goes on
    process.kill(first.pid, "SIGCONT");
    const said = await first.rest();

    expect(said.at(-1)).toBe(ofSecond);
    const [before, after] = [storedTicks(path, "first"), storedTicks(path, "second")];
    expect(before.map(({ epoch }) => epoch)).toEqual(before.map(() => 1));
    expect(after.map(({ epoch }) => epoch)).toEqual(after.map(() => 2));
    expect(after[0]?.first).toBe((before.at(-1)?.last ?? 0) + 1);
    const batches = rowsOf(openRaw(path), "SELECT first, last FROM ticks ORDER BY last");
    expect(batches).toEqual([...before, ...after].map((batch) => ({ first: batch.first, last: batch.last })));
    expect(rowsOf(openRaw(path), "SELECT status, epoch, owner FROM runs")).toEqual([
      { status: "completed", epoch: 2, owner: null },
    ]);
  });

  it("learns that the run is another's, and its step can do nothing more", async () => {
    const path = temporaryFile();
    const { first } = await takeOver(path);
    const before = statusesOf(path, "first");

    process.kill(first.pid, "SIGCONT");
    expect(await first.line()).toBe("aborted");
    first.send("go");
    const said = await first.rest();

    expect(said).toContain(ofSecond);
    expect(statusesOf(path, "first")).toEqual(before);
  });
});
