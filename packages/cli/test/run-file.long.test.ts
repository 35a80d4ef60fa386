/** The run of a failed test as a file: `millrace open` shows it, and so does the page of run files. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { readRunFile } from "@millrace/client/run-file";
import { exploreRuns, proveResumable, simulate } from "@millrace/testing";
import { defineWorkflow, event, many, StartEvent, StopEvent, type Workflow, WorkflowError } from "millrace";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { runFile } from "../src/run-file/index.js";
import { createProject, type Project } from "./support/project.js";

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** A project in which `millrace open` finds the studio. */
function project(): Project {
  const made = createProject();
  mkdirSync(join(made.folder, "node_modules", "@millrace"), { recursive: true });
  symlinkSync(
    join(import.meta.dirname, "..", "..", "studio"),
    join(made.folder, "node_modules", "@millrace", "studio"),
  );
  return made;
}

/** What the page shows, over the address of `millrace open` and after the file was chosen by hand. */
async function shown({ start, folder }: Project, file: string): Promise<string[]> {
  const { child, lines } = start("open", file, "--port", "0");
  await expect.poll(() => lines()[0], { timeout: 30_000 }).toMatch(/^http/);
  const address = lines()[0] as string;
  const texts: string[] = [];
  for (const isChosen of [false, true]) {
    const page = await browser.newPage();
    await page.goto(isChosen ? new URL("file.html", address).href : address);
    if (isChosen) await page.locator("input[type=file]").setInputFiles(join(folder, file));
    await page.locator(".react-flow__node").first().waitFor();
    texts.push((await page.locator("body").textContent()) ?? "");
    await page.close();
  }
  child.kill("SIGTERM");
  return texts;
}

const statusOf = async ({ folder }: Project, file: string): Promise<[string, number]> => {
  const { handler, entries } = await readRunFile(new Uint8Array(readFileSync(join(folder, file))));
  return [handler.status, entries.length];
};

/** Pays twice when it resumes: the payment is outside of `ctx.run`. */
function paying(payments: string[]): Workflow {
  class Paid extends event("Paid") {}
  return defineWorkflow("paying")
    .step("pay", { on: StartEvent, emits: Paid }, () => {
      payments.push("5 €");
      return new Paid();
    })
    .step("note", { on: Paid, emits: StopEvent }, () => new StopEvent({ result: "paid" }))
    .build();
}

it("has the run at the crash that proveResumable has found", async () => {
  const own = project();
  const payments: string[] = [];
  const world = () => {
    payments.length = 0;
    return { create: () => paying(payments), observe: () => payments.join() };
  };
  const saveRun = runFile(join(own.folder, "failures"));
  const failure = await proveResumable(world, {}, { saveRun }).catch((error: unknown) => error);

  expect(WorkflowError.is(failure, "RESUME_DIVERGED")).toBe(true);
  expect(String(failure)).toContain(`npx millrace open ${join(own.folder, "failures", "paying.run")}`);
  expect(String(failure)).toContain("after tick 1,");
  expect(await statusOf(own, "failures/paying.run")).toEqual(["running", 1]);
  for (const text of await shown(own, "failures/paying.run")) expect(text).toMatch(/paying[\s\S]*pay/);
});

/** Two steps read and write one place of the state, and the second one ends the run. */
function counting(): Workflow {
  class Count extends event("Count") {}
  return defineWorkflow("counting")
    .step("begin", { on: StartEvent, emits: many(Count) }, () => [new Count(), new Count()])
    .step("count", { on: Count, emits: StopEvent }, async (_ev, { store }) => {
      const before = Number((await store.get("count", 0)) ?? 0);
      await store.set("count", before + 1);
      return before === 1 ? new StopEvent({ result: before + 1 }) : null;
    })
    .build();
}

it("has the run in the shortest order in which exploreRuns has found a race", async () => {
  const own = project();
  const file = join(own.folder, "race.run");
  const { findings } = await exploreRuns(counting, {}, { crashes: false, saveRun: runFile(file) });
  const named = findings.filter(({ message }) => message.endsWith(`\`npx millrace open ${file}\` shows it.`));
  const [status, ticks] = await statusOf(own, "race.run");

  expect(findings.length).toBeGreaterThan(0);
  expect(named).toHaveLength(1);
  expect(status).toBe("failed"); // both have read 0, so nobody has ended the run
  expect(ticks).toBeGreaterThan(4);
  for (const text of await shown(own, "race.run")) expect(text).toMatch(/counting[\s\S]*count/);
});

it("has the run with which a simulation has failed", async () => {
  const own = project();
  const file = join(own.folder, "seed-7.run");
  const failure = await simulate({
    seed: 7,
    time: "1h",
    callers: 5,
    saveRun: runFile(file),
    workflows: () => ({ paying: paying([]) }),
    async call(caller, number) {
      const run = await caller.start("paying", {}, { runId: `order-${number}` });
      if ((await run.result()) === "paid" && number === 3) throw new Error(`Run "order-3" is paid.`);
    },
  }).catch((error: unknown) => error);

  expect(WorkflowError.is(failure, "SIMULATION_FAILED")).toBe(true);
  expect(String(failure)).toContain(`The run is in ${file}: \`npx millrace open ${file}\` shows it.`);
  expect((await statusOf(own, "seed-7.run"))[0]).toBe("completed");
  for (const text of await shown(own, "seed-7.run")) expect(text).toMatch(/order-3[\s\S]*pay/);
});
