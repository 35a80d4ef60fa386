/** Kills the process of an agent whose tools are those of an MCP server, again and again. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rounds } from "../../support/agent-flows.js";
import { overHttp } from "../../support/mcp.js";
import { onStore, survive } from "../../support/survival.js";

it("makes the calls in flight again, and no others, of a server over HTTP that lives on", async () => {
  await using desk = await overHttp();
  await desk.connect();

  const seen = await survive({ kills: 3, seed: 8, start: onStore("mcp", ({ log }) => `${log}.db`, desk.url) });

  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(new Set(desk.asked).size).toBe(2 * rounds);
  expect(desk.asked.length).toBeLessThanOrEqual(2 * (rounds + seen.killed));
});

it("does so for a server that the killed process has started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "desk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, "asked");

  const seen = await survive({ kills: 2, seed: 9, start: onStore("mcp", (world) => `${world.log}.db`, log) });

  const asked = readFileSync(log, "utf8").trim().split("\n");
  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(new Set(asked).size).toBe(2 * rounds);
  expect(asked.length).toBeLessThanOrEqual(2 * (rounds + seen.killed));
});
