/** Runs of a store of SQLite, played again with another model, which is scripted over HTTP. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Support } from "./projects/flows/support.js";
import { support } from "./support/flows.js";
import { createProject, type Project } from "./support/project.js";

interface Report {
  readonly same: number;
  readonly share: number;
  readonly runs: readonly { readonly run_id: string; readonly verdict: string; readonly stopped_at: object | null }[];
}

/** Numbers of the tickets that another model judges otherwise. */
const planted = new Set([4, 17, 33]);
let paid: string[] = [];
let asked: URLSearchParams[] = [];
let service = "";

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  if (request.method === "POST") return void response.end(`receipt ${paid.push(pathname)}`);
  asked.push(searchParams);
  const number = Number(searchParams.get("number"));
  const isOther = searchParams.get("model") !== "old" && planted.has(number);
  const category = (number % 2 === 0) !== isOther ? "refund" : "reply";
  response.end(JSON.stringify({ category, usage: { inputTokens: 100, outputTokens: 10 } }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function projectWithRuns(count: number): Promise<Project> {
  const project = createProject({ "flows/support.ts": support, "prompt.md": "Be short.\n" });
  const store = sqliteStore(join(project.folder, "runs.db"));
  const runtime = createRuntime({ workflows: { support: new Support() }, store });
  for (let number = 1; number <= count; number++) {
    const labels = { team: number % 2 === 0 ? "berlin" : "rome" };
    await runtime.run("support", { number, service }, { runId: `t-${number}`, labels });
  }
  await runtime.stop();
  [paid, asked] = [[], []];
  return project;
}

it("prints exactly the runs that another model decides otherwise, and pays nothing", async () => {
  const project = await projectWithRuns(40);
  const base = ["what-if", "flows/support.ts", "--store", "runs.db"];
  const { code, stdout } = await project.call(...base, "--model", "new", "--fail-under", "0.95");

  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(/^run +decision +tokens +latency +first difference$/),
    expect.stringMatching(/^t-33 +other +110 +.* Step "triage" emits Refund, not StopEvent\.$/),
    expect.stringMatching(/^t-17 +other +110 +.* Step "triage" emits Refund, not StopEvent\.$/),
    expect.stringMatching(/^t-4 +other +110 +.* Step "triage" emits StopEvent, not Refund\.$/),
    "",
    "37 same, 3 other, 0 unknown of 40 runs: 92.5 % the same",
    expect.stringMatching(/^Live calls of the 38 runs that came to the end: calls 38, tokens 4180, latency .* → .*/),
  ]);
  expect([code, paid, asked.length]).toEqual([1, [], 40]);

  const named = await project.json<Report>(
    "what-if",
    "support",
    "--store",
    "runs.db",
    "--model",
    "new",
    "--last",
    "10",
  );
  expect(named).toMatchObject({ same: 9, share: 0.9 });
  expect(named.runs[7]).toMatchObject({
    ...{ run_id: "t-33", verdict: "other", ended: false },
    stopped_at: { run_id: "t-33", step: "refund", key: "pay", label: null, why: "absent" },
  });
});

it("takes some of the runs, other instructions, and calls that are made where they are not known", async () => {
  const project = await projectWithRuns(6);
  const base = ["what-if", "flows/support.ts#Support", "--store", "runs.db"];
  const where = ["--where", "label.team=berlin status:completed", "--live", "pay-back", "--json"];
  const filtered = await project.call(...base, ...where);
  const prompted = await project.call(...base, "--prompt", "prompt.md", "--last", "2", "--fail-under", "1");
  const texts = asked.slice(-2).map((query) => query.get("instructions"));
  planted.add(5);
  const live = await project.call(...base, "--model", "new", "--unknown", "live");
  planted.delete(5);

  const { runs } = JSON.parse(filtered.stdout) as Report;
  expect(runs.map(({ run_id, verdict }) => [run_id, verdict])).toEqual(["t-6", "t-4", "t-2"].map((id) => [id, "same"]));
  expect(filtered.stderr).toContain("No call was live");
  expect([prompted.code, texts]).toEqual([0, ["Be short.", "Be short."]]);
  expect(prompted.stdout).toContain("2 same, 0 other, 0 unknown of 2 runs: 100 % the same");
  expect(live.stdout).toContain("4 same, 2 other, 0 unknown of 6 runs: 66.6 % the same");
  expect(paid).toEqual(["/pay/5"]);
});

it("says what is wrong with how it was called", async () => {
  const project = await projectWithRuns(1);
  const base = ["what-if", "flows/support.ts", "--store", "runs.db"];
  const guessing = await project.call(...base, "--unknown", "guess");
  const empty = await project.call(...base, "--where", "label.team=berlin");

  expect([guessing.code, guessing.stderr]).toEqual([2, expect.stringContaining('`--unknown` is "guess"')]);
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringMatching(/no run of support in runs\.db .* be played/)]);
});
