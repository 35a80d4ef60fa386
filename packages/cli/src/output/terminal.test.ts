import { expect, it } from "vitest";
import { promptLines } from "../follow/open-prompts.js";
import { errorText, printError } from "./print-error.js";
import { resultLines } from "./result-lines.js";
import { Terminal } from "./terminal.js";

/** Colors a text, reverses it, hides a character in it; clears the screen, writes to the clipboard, begins a line again, hides a command that starts with one byte. */
const hostile = "a\u001b[2Jb\u001b]52;c;aGk=\u0007c\rd\u009b2Je\u0000\u001b[35mf\u202egnp.exe\u2066\u200bg";

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

/** Any control character and any that is not seen, but ends of lines, tabs and the colors of this package. */
const controls = (text: string): string[] =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
  [...text.replace(/\u{1b}\[(?:1|2|22|3[1236]|39)m|\r?\n|\t/gu, "")].filter((letter) => /[\p{Cc}\p{Cf}]/u.test(letter));

it("lets nothing in the data of runs move the cursor, or more", () => {
  const { terminal, written } = open();
  const result = { pipelineId: "p", content: hostile, stepResults: [{ stepName: hostile, content: hostile }] };
  const prompt = { promptId: hostile, type: hostile, fields: { question: hostile }, step: hostile, answer: null };

  for (const line of [...resultLines(terminal, result), ...promptLines(terminal, prompt)]) terminal.line(line);
  for (const line of resultLines(terminal, { text: hostile })) terminal.line(line);
  terminal.note(hostile);

  expect(controls(written.stdout)).toEqual([]);
  expect(controls(written.stderr)).toEqual([]);
  expect(written.stderr).toBe("a�[2Jb�]52;c;aGk=�c�d�2Je��[35mf�gnp.exe��g\n");
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

it("lets no stored text color anything, whatever it guesses", () => {
  const { terminal, written } = open();
  const painted = terminal.paint("red", "no");

  terminal.line(`${painted.replace(/[\da-f]{12}/g, "0123456789ab")}\u001b[31m`);
  terminal.line(terminal.paint("dim", hostile));

  expect(written.stdout.split("\n")[0]).toBe("�0123456789ab[31mno�0123456789ab[39m�[31m");
  expect(controls(written.stdout)).toEqual([]);
});

it("leaves letters of every script and emoji as they are", () => {
  const { terminal, written } = open();

  terminal.line("שלום می‌خواهم 👩‍💻 größe");

  expect(written.stdout).toBe("שלום می‌خواهم 👩‍💻 größe\n");
});

it("prints errors as clean as everything else", () => {
  const { terminal, written } = open();
  const error = Object.assign(new Error(hostile), {
    code: "CODE_FAILED",
    hint: hostile,
    details: { issues: [{ path: hostile, message: hostile }] },
  });

  printError(terminal, error);
  terminal.isJson = true;
  printError(terminal, error);

  expect(controls(written.stderr)).toEqual([]);
  expect(controls(errorText(error, false) + errorText(error, true))).toEqual([]);
});
