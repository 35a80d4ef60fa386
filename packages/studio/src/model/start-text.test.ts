import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Start, startText } from "./start-text.js";

const start: Start = {
  baseUrl: "http://127.0.0.1:8787",
  asksToken: false,
  workflow: "refund",
  input: { order: "it's $HOME `x` \\ 7", lines: [{ sku: "mug" }] },
  labels: {},
};
const odd: Start = { ...start, asksToken: true, workflow: "a b/ü", labels: { team: "Berlin Mitte" } };

/** The words of a command, as a shell reads them. */
function wordsOf(command: string): string[] {
  const script = `set -- ${command}\nprintf '%s\\0' "$@"`;
  const env = { MILLRACE_TOKEN: "secret" };
  return execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

describe("the start of a run as text", () => {
  it("is a command of curl, whose words a shell reads as they are", () => {
    const body = { kwargs: start.input };
    expect(wordsOf(startText("curl", start))).toEqual([
      ...["curl", "-X", "POST", "http://127.0.0.1:8787/workflows/refund/run-nowait"],
      ...["-H", "content-type: application/json", "-d", JSON.stringify(body)],
    ]);
    expect(wordsOf(startText("curl", odd)).slice(3, -1)).toEqual([
      "http://127.0.0.1:8787/workflows/a%20b%2F%C3%BC/run-nowait",
      ...["-H", "content-type: application/json", "-H", "authorization: Bearer secret", "-d"],
    ]);
    expect(JSON.parse(wordsOf(startText("curl", odd)).at(-1) ?? "")).toEqual({ ...body, labels: odd.labels });
    expect(startText("curl", odd)).not.toContain("secret");
  });

  it("is a command of millrace", () => {
    expect(wordsOf(startText("cli", odd))).toEqual([
      ...["npx", "millrace", "run", "a b/ü", "--url", "http://127.0.0.1:8787"],
      ...["--input", JSON.stringify(odd.input), "--label", "team=Berlin Mitte"],
    ]);
  });

  it("is TypeScript", () => {
    expect(startText("typescript", { ...odd, input: { to: 2 } })).toBe(`import { createClient } from "@millrace/client";

const client = createClient({ baseUrl: "http://127.0.0.1:8787", headers: { authorization: \`Bearer \${process.env.MILLRACE_TOKEN}\` } });
const result = await client.run("a b/ü", {
  "to": 2
}, {"labels":{"team":"Berlin Mitte"}});
console.log(result);
`);
  });
});
