/** The official conformance suite of the protocol, against a process of its own: 2026-07-28, tasks, and 2025-11-25. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startStateless, temporaryFile } from "./mcp-process.js";

const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
const expected = fileURLToPath(new URL("mcp-conformance.yml", import.meta.url));

it("passes all that a server of tools can pass", async () => {
  const { url } = await startStateless(temporaryFile());
  const args = [suite, "server", "--url", url.href, "--suite", "all", "--expected-failures", expected];

  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 }).catch((failed) => {
    throw new TypeError(String(failed.stdout).split("=== SUMMARY ===").at(-1));
  });

  expect(stdout).toMatch(/✓ tasks-mrtr-input: \d+ passed, 0 failed/);
  expect(stdout).toMatch(/✓ dns-rebinding-protection: 2 passed, 0 failed/);
});
