import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject } from "./support/project.js";

const root = join(import.meta.dirname, "..", "..", "..");
const pages = readdirSync(join(root, "docs", "errors")).filter((name) => name !== "README.md");

it("prints the page of an error code, in any case of letters", async () => {
  const project = createProject();

  const page = await project.call("explain", "STEP_TIMEOUT");
  const lower = await project.call("explain", "step_timeout");
  const linked = await project.call("explain", "OPTION_INVALID");

  expect(page).toMatchObject({ code: 0, stderr: "" });
  expect(page.stdout).toMatch(/^# STEP_TIMEOUT\n\nA step took longer than its timeout\.\n[\s\S]*## Before\n\n```ts\n/);
  expect(lower.stdout).toBe(page.stdout);
  expect(linked.stdout).toContain("are findings of `WORKFLOW_INVALID`.");
  expect(linked.stdout).not.toContain("](");
});

it("lists every code that has a page, and its own", async () => {
  const project = createProject();

  const { stdout } = await project.call("explain");
  const codes = await project.json<{ code: string; title: string }[]>("explain");

  expect(stdout).toMatch(/^STEP_TIMEOUT {2,}A step took longer than its timeout$/m);
  expect(stdout.split("\n")).toHaveLength(codes.length);
  expect(codes.map(({ code }) => `${code}.md`)).toEqual(expect.arrayContaining(pages));
  expect(codes.filter(({ title }) => title === "")).toEqual([]);
});

it("explains each code that the README lists for the command", async () => {
  const readme = readFileSync(join(root, "packages", "cli", "README.md"), "utf8");
  const listed = [...(readme.split("## Errors")[1] ?? "").matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);

  const codes = await createProject().json<{ code: string }[]>("explain");

  expect(listed.length).toBeGreaterThan(10);
  expect(codes.map(({ code }) => code)).toEqual(expect.arrayContaining(listed));
});

it("refuses a code that it does not know, and never reads another file", async () => {
  const project = createProject();

  const unknown = await project.call("explain", "STEP_TIMEOUTS");
  const path = await project.call("explain", "../main.js", "--json");
  const inherited = await project.call("explain", "constructor");

  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toContain('No page explains "STEP_TIMEOUTS".\nhint  Did you mean STEP_TIMEOUT? `millrace');
  expect(JSON.parse(path.stderr)).toMatchObject({ error: { code: "OPTION_INVALID", details: { code: "../main.js" } } });
  expect(inherited.code).toBe(2);
});
