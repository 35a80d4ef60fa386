/** What the command shows of runs: their errors, their input, the place of a failure, and their changes as they come. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { joke, pipeline } from "./support/flows.js";
import { createProject } from "./support/project.js";

const failing = `import { defineWorkflow, event, many, StartEvent, StopEvent, collect } from "millrace";
import * as z from "zod";
class Import extends StartEvent.define("Import", { skus: z.array(z.string()) }) {}
class Item extends event("Item", { sku: z.string() }) {}
class Done extends event("Done") {}
export const imports = defineWorkflow("imports")
  .step("split", { on: Import, emits: many(Item) }, ({ skus }) => skus.map((sku) => new Item({ sku })))
  .step("load", { on: Item, emits: Done }, ({ sku }) => {
    if (sku.startsWith("BAD")) throw new TypeError(\`\${sku} has no price\`);
    return new Done();
  })
  .step("end", { on: collect(Done), emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build();
`;

it("shows of a failed run its error in the list, and its input, its item and the place", async () => {
  const project = createProject({ "imports.ts": failing });
  await project.call(
    "run",
    "imports.ts",
    "--input",
    '{"skus":["A1","BAD9"]}',
    "--id",
    "bad-1",
    "--label",
    "team=berlin",
  );

  const listed = await project.call("runs", "--where", "status:failed label.team=berlin after:2h");
  const shown = await project.call("show", "bad-1");

  expect(listed.stdout).toMatch(/^bad-1 {2}imports {2}failed .* team=berlin BAD9 has no price$/);
  expect(shown.stdout).toContain('input  {"skus":["A1","BAD9"]}');
  expect(shown.stdout).toMatch(/in load, item \d+\n {2}with {"sku":"BAD9"}\n {2}at .*imports\.ts:9:/);
});

it("shows a pipeline by its own steps and their contents, and finds no difference between two equal runs", async () => {
  const project = createProject({ "pipeline.ts": pipeline });
  const first = await project.call("run", "pipeline.ts#deep", "--input", '"mills"', "--id", "p-1");
  await project.call("run", "pipeline.ts#deep", "--input", '"mills"', "--id", "p-2");

  const compared = await project.call("diff", "p-1", "p-2");

  expect(first.stdout).toContain("› left: said of mills");
  expect(first.stdout).not.toMatch(/pipeline\.shown|^. begin|finish|gather/m);
  expect(compared).toMatchObject({ code: 0, stdout: expect.stringContaining("The same ticks.") });
});

it("shows the steps of a pipeline in their order, and compares two by their names", async () => {
  const flow = `import { Pipeline, Step } from "@millrace/pipeline";
import { existsSync } from "node:fs";
const inner = new Pipeline({
  name: "Inner",
  steps: [
    new Step({ name: "draft", executor: ({ input }) => "draft of " + input }),
    new Step({ name: "publish", executor: ({ input }) => {
      if (existsSync("broken")) throw new TypeError("no body of " + input);
      return "published";
    } }),
  ],
});
export const article = new Pipeline({ name: "Article", steps: [
  new Step({ name: "research", executor: () => "notes" }), new Step({ name: "write", executor: inner }),
] });
`;
  const project = createProject({ "article.ts": flow });
  const run = (id: string) => project.call("run", "article.ts", "--input", '"dams"', "--id", id);
  const first = await run("p-1");
  project.write("broken", "");
  await run("p-2");
  await run("p-3");

  const shown = await project.call("show", "p-1");
  const other = await project.call("diff", "p-1", "p-2");
  const same = await project.call("diff", "p-2", "p-3");

  expect(shown.stdout).toMatch(/✔ research.*\n✔ write.*\n {2}✔ draft.*\n {2}✔ publish/);
  expect(other.stdout).toMatch(
    /They part at tick \d+ \(step\.completed of publish\) and tick \d+ \(state\.edited of publish\)/,
  );
  expect(other.stdout).toContain('\n  steps.write.publish\n  - "published"\n  + {"error":"no body of notes"}');
  expect(other.stdout).not.toMatch(/frames|reopens|tallied|retryable/);
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining("The same ticks.") });
  expect(first.stdout).not.toContain("StopEvent");
});

it("says that a run is not there, also where a command needs its code", async () => {
  const project = createProject({ "joke.ts": joke });
  await project.call("run", "joke.ts#JokeFlow", "--input", '{"topic":"pirate"}', "--id", "j-1");

  for (const command of ["show", "retry", "resume", "export", "test-from"])
    expect([command, (await project.call(command, "nope")).stderr]).toEqual([
      command,
      expect.stringContaining("RUN_UNKNOWN"),
    ]);
});

it("shows of a failed pipeline the step that failed, and nothing of what runs the steps", async () => {
  const failing = pipeline.replace("({ length: 26 })", '{ throw new Error("no paper") }');
  const project = createProject({ "pipeline.ts": failing });
  const ran = await project.call("run", "pipeline.ts#deep", "--input", '"mills"', "--id", "p-1");
  const shown = await project.call("show", "p-1");

  expect(ran.stdout).toContain("last  failed");
  expect(shown.stdout).toMatch(/in last, item \d+\n {2}at .*pipeline\.ts:13:/);
  for (const { stdout } of [ran, shown]) expect(stdout).not.toMatch(/^. ?(begin|caught|finish)|caught, item/m);
});

it("prints the changes of runs as they come, and the address of a run in the studio", async () => {
  const project = createProject({ "joke.ts": joke });
  const server = project.start("serve", "joke.ts", "--port", "0");
  const [url] = (await once(createInterface({ input: server.child.stdout as never }), "line")) as [string];
  const tail = project.start("tail", "--url", url, "--where", "workflow:JokeFlow");
  await once(createInterface({ input: tail.child.stderr as never }), "line");
  const changed = once(createInterface({ input: tail.child.stdout as never }), "line");
  await project.call("run", "JokeFlow", "--url", url, "--input", '{"topic":"pirate"}', "--id", "t-1");

  expect((await changed)[0]).toMatch(/^\d\d:\d\d:\d\d {2}t-1 {2}JokeFlow {2}\w+/);
  expect((await project.call("open", "t-1", "--url", url)).stdout).toBe(`${url}/studio/#/run/t-1`);
});
