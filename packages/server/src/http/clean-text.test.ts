import { describe, expect, it } from "vitest";
import { cleanJson, cleanText } from "./clean-text.js";

/** Texts that leak, with what is left of them. */
const hostile: readonly (readonly [string, string])[] = [
  ["Cannot find module 'file:///srv/app/x.js' imported from", "Cannot find module '<path>' imported from"],
  ["Cannot find module file:///srv/my%20app/x.js imported", "Cannot find module <path> imported"],
  ["at file:///C:/Users/Ada/x.js:10:5)", "at <path>)"],
  ["at file:\\\\\\C:\\Users\\Ada\\x.js now", "at <path> now"],
  ["see vscode-remote://ssh-remote+box/srv/app/x.js now", "see <path> now"],
  ["see vscode-file://vscode-app/Applications/x.js now", "see <path> now"],
  ["sqlite:///srv/data/runs.db is locked", "sqlite:<path> is locked"],
  ["ENOENT:/srv/app/x.json", "ENOENT:<path>"],
  ["ENOENT: no such file or directory, open '/srv/my app/x.json'", "ENOENT: no such file or directory, open '<path>'"],
  ["open '/home/o'brien/key, old.pem'.", "open '<path>'."],
  ["/srv/app/x.js:10:5 is wrong", "<path> is wrong"],
  ["(/srv/app/x.js:10:5)", "(<path>)"],
  ["open /srv/app/x.js.", "open <path>."],
  ["config=/etc/app/x.conf, mode=1", "config=<path>, mode=1"],
  ["/srv/a/b.txt,/srv/c/d.txt", "<path>"],
  ["PATH=/usr/bin:/opt/tool/bin", "PATH=<path>:<path>"],
  ["open //srv/app/x.js", "open <path>"],
  ["open /Users/Ada Lovelace/app/my file.txt now", "open <path> now"],
  ["open /srv/Müller/données.txt", "open <path>"],
  ["open /srv/app/(group)/[id]/page.tsx", "open <path>"],
  ["open /srv/*/x", "open <path>"],
  ["run@/srv/app/x.js:1:2", "run@<path>"],
  ["open ~/app/x.js", "open <path>"],
  ["open /proc/42/environ", "open <path>"],
  ["open /anywhere/else", "open <path>"],
  ["open /anywhere/42/x.js", "open <path>"],
  ["read C:\\srv\\app\\x.js now", "read <path> now"],
  ["read C:\\Program Files\\My App\\x.js now", "read <path> now"],
  ["read C:\\Users\\Ada Lovelace\\my file.txt: no", "read <path>: no"],
  ["read 'C:\\Users\\Ada\\my file'", "read '<path>'"],
  ["read C:\\Users\\O'Brien\\x.js", "read <path>"],
  ["read D:/work/app/x.js", "read <path>"],
  ["read \\\\server\\share\\x y\\z.js", "read <path>"],
  ["read \\\\?\\C:\\srv\\x.js", "read <path>"],
  ['{"path":"C:\\\\srv\\\\x.js","n":1}', '{"path":"<path>","n":1}'],
  ['{"path":"/srv/app/x.js","n":1}', '{"path":"<path>","n":1}'],
  ["open %2Fsrv%2Fapp%2Fx.js now", "open <path> now"],
  ["open %252Fsrv%252Fapp now", "open <path> now"],
  ["open file%3A%2F%2F%2Fsrv%2Fapp%2Fx.js now", "open <path> now"],
  ["open C%3A%5CUsers%5CAda now", "open <path> now"],
  ["boom\n    at run (/srv/app/x.js:1:2)\n    at node:internal/timers:5:1", "boom"],
  ["boom\r\n    at run (/srv/app/x.js:1:2)\r\nand more", "boom\r\nand more"],
  ['{"stack":"Error: boom\\n    at run (/srv/app/x.js:1:2)\\n    at y","n":1}', '{"stack":"Error: boom","n":1}'],
];

const ordinary: readonly string[] = [
  "1/2 of it, and/or 3/4",
  "2026/11/22 and 22/11/2026, 10:30",
  "either/or/both",
  "text/html; application/json",
  "see https://example.com/a/b/c.html?x=/y/z#top.",
  "postgres://db.example:5432/app/x is away",
  "http://localhost:3000/orders/7 gave 404",
  "localhost:3000/orders/new",
  "//cdn.example.com/a/b.js",
  "there is no route /orders/7",
  "there is no route '/orders/7/items'",
  "there is no route /orders/{id}/items or /orders/new/:item",
  "there is no route /users/2f1c8d5e-8c0b-4b0f-9a43-0d8a7c1f2e11",
  "/api/orders/new is gone",
  "/v1/chat/completions is busy",
  "/search/all?q=1 is slow",
  "GET /orders/new failed",
  'POST "/files/list" failed',
  "./src/index.ts and ../lib/x.js and src/a/b.ts",
  "@scope/name/sub and #/components/schemas/X",
  "/tmp is full",
  "C: is full, a:b, c:\\",
  "100%/2, 50%25 and %20",
  "next=%2Forders%2F7",
  "a \\d+ and \\\\n in a pattern",
  "at once\n  and at last",
  "</b> and <a/>",
];

describe("the text of an error", () => {
  it.each(hostile)("%s", (text, left) => {
    expect(cleanText(text)).toBe(left);
  });

  it.each(ordinary)("is left alone: %s", (text) => {
    expect(cleanText(text)).toBe(text);
  });

  it("is not changed by a second time", () => {
    for (const [, left] of hostile) expect(cleanText(left)).toBe(left);
  });

  it.each([
    "'/",
    "/a",
    "/a ",
    "C:\\a",
    "\\\\a",
    "%2F",
    "%25",
    "file:/",
    "\n    at ",
    "a:/",
    "/srv/a b ",
    "~/.",
    "'/a'b",
    "aaaa",
  ])("of half a megabyte costs no more where it is made of %j", (part) => {
    const sinceMs = performance.now();

    cleanText(part.repeat(500_000 / part.length));

    expect(performance.now() - sinceMs).toBeLessThan(5_000);
  });
});

describe("JSON that leaves", () => {
  const leak = "ENOENT:/srv/app/x.js";
  const clean = "ENOENT:<path>";
  const through = (value: unknown): unknown => JSON.parse(cleanJson(value));

  it("has no stack, and no path in the texts of errors, their causes and details", () => {
    const cause = { name: "Error", message: leak, stack: "no trace" };
    const error = { name: "WorkflowError", message: leak, stack: "x", code: "X", hint: leak, details: { a: [leak] } };

    expect(through({ a: [{ ...error, cause }] })).toEqual({
      a: [
        {
          name: "WorkflowError",
          message: clean,
          code: "X",
          hint: clean,
          details: { a: [clean] },
          cause: { name: "Error", message: clean },
        },
      ],
    });
  });

  it("has none in what was thrown and is not an error", () => {
    expect(through({ a: { name: "Thrown", message: leak } })).toEqual({ a: { name: "Thrown", message: clean } });
    expect(through({ error: leak, lastError: { why: [leak] }, errors: [leak], cause: { path: leak } })).toEqual({
      error: clean,
      lastError: { why: [clean] },
      errors: [clean],
      cause: { path: clean },
    });
  });

  it("keeps what a workflow shows in fields of its own, and dates in errors", () => {
    const shown = { path: "/srv/app/x.js", message: "in /srv/app/x.js", name: "Ada", note: "error: /srv/app" };

    expect(through(shown)).toEqual(shown);
    expect(through({ error: { at: new Date(0) } })).toEqual({ error: { at: "1970-01-01T00:00:00.000Z" } });
  });
});
