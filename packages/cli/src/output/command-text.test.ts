import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { commandText } from "./command-text.js";

const odd = [
  "run 1",
  "it's",
  '"quoted"',
  "$HOME",
  "`id`",
  "a;b",
  "a\nb",
  "a\\b",
  "",
  "~",
  "*",
  "#a",
  "!1",
  "é ü",
  "a=b",
  "=ls",
  "{a,b}",
];

/** What a shell passes to the command. */
function wordsIn(command: string): string[] {
  const script = `millrace() { for word; do printf '%s\\0' "$word"; done; }\n${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

it.each(odd)("passes %j to a shell as one word", (id) => {
  expect(wordsIn(commandText("resume", { args: [id], flags: ["--store", id] }))).toEqual(["resume", id, "--store", id]);
});

it("leaves plain words as they are", () => {
  const flags = ["--url", "http://127.0.0.1:3000"];

  expect(commandText("answer", { args: ["o-1"], flags })).toBe("millrace answer o-1 --url http://127.0.0.1:3000");
  expect(commandText("run", { args: ["src/a.ts#Flow"] })).toBe("millrace run src/a.ts#Flow");
});

it("puts what begins with a dash behind the options", () => {
  expect(commandText("resume", { args: ["-id"], flags: ["--store", "a.db"] })).toBe(
    "millrace resume --store a.db -- -id",
  );
});
