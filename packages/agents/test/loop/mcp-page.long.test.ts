/** The program of the page about tools of MCP servers. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Agent } from "../../src/index.js";
import { type HttpDesk, overHttp } from "../support/mcp.js";
import { answering } from "../support/people.js";
import { answers, calls, says } from "../support/turns.js";

/** As printed, with this server and this model. */
async function clerkOfPage(desk: HttpDesk, model: ReturnType<typeof answers>): Promise<Agent> {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/how-to/mcp-tools-of-agents.md"), "utf8");
  const folder = join(import.meta.dirname, "../../.reports");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `mcp-page-${new URL(desk.url).port}.ts`);
  writeFileSync(file, /^```ts\n(.*?)^```/ms.exec(page)?.[1] ?? "");
  vi.stubEnv("DESK_URL", desk.url);
  vi.stubGlobal("AI_SDK_DEFAULT_PROVIDER", { languageModel: () => model });
  onTestFinished(() => void vi.unstubAllEnvs().unstubAllGlobals());
  return ((await import(file)) as { readonly clerk: Agent }).clerk;
}

it("asks before all calls that may change something", async () => {
  await using desk = await overHttp();
  await (await desk.connect()).close();
  const clerk = await clerkOfPage(desk, answers(calls(["look", {}], ["fail", {}]), says("done")));

  const { asked } = await answering(clerk.workflow.run({ input: "go" }), () => ({ approved: true }));

  expect(asked.map(({ toolName }) => toolName)).toEqual(["fail"]);
  expect(desk.asked.toSorted()).toEqual(["fail {}", "look {}"]);
});

it("mastra#7675: works again after a restart of the server, which knows none of its sessions", async () => {
  await using desk = await overHttp("sessions");
  await (await desk.connect()).close();
  const look = calls(["look", {}]);
  const clerk = await clerkOfPage(desk, answers(look, says("one"), look, says("two")));

  const before = await clerk.run("go");
  await desk.kill();
  await (await desk.connect()).close();
  const after = await clerk.run("go");

  expect([before.content, after.content]).toEqual(["one", "two"]);
  expect(desk.asked).toEqual(["look {}", "look {}"]);
});
