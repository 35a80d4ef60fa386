import { expect, it } from "vitest";
import { promptLines } from "../follow/open-prompts.js";
import { resultLines } from "./result-lines.js";
import { Terminal } from "./terminal.js";

/** Clears the screen, writes to the clipboard, begins a line again, hides a command that starts with one byte. */
const hostile = "a\u001b[2Jb\u001b]52;c;aGk=\u0007c\rd\u009b2Je\u0000";

function open() {
  const written = { stdout: "", stderr: "" };
  const terminal = new Terminal({
    stdout: { isTTY: true, write: (text) => (written.stdout += text) },
    stderr: { isTTY: true, write: (text) => (written.stderr += text) },
    stdin: {},
    env: {},
    cwd: "/",
  });
  return { terminal, written };
}

/** Any control character but those that end lines, tabs and those that color. */
const controls = (text: string): string[] =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  [...text.replace(/\u{1b}\[\d+m|\r?\n|\t/gu, "")].filter((letter) => /\p{Cc}/u.test(letter));

it("lets nothing in the data of runs move the cursor, or more", () => {
  const { terminal, written } = open();
  const result = { pipelineId: "p", content: hostile, stepResults: [{ stepName: hostile, content: hostile }] };
  const prompt = { promptId: hostile, type: hostile, fields: { question: hostile }, step: hostile, answer: null };

  for (const line of [...resultLines(terminal, result), ...promptLines(terminal, prompt)]) terminal.line(line);
  for (const line of resultLines(terminal, { text: hostile })) terminal.line(line);
  terminal.note(hostile);

  expect(controls(written.stdout)).toEqual([]);
  expect(controls(written.stderr)).toEqual([]);
  expect(written.stderr).toBe("a�[2Jb�]52;c;aGk=�c�d�2Je�\n");
});

it("keeps colors, tabs and ends of lines", () => {
  const { terminal, written } = open();

  terminal.line(`${terminal.paint("red", "no")}\tone\r\ntwo\nthree`);

  expect(written.stdout).toBe("\u001b[31mno\u001b[39m\tone\r\ntwo\nthree\n");
});

it("keeps what JSON says, whatever it holds", () => {
  const { terminal, written } = open();

  terminal.json({ hostile });

  expect(controls(written.stdout)).toEqual([]);
  expect(JSON.parse(written.stdout)).toEqual({ hostile });
});
