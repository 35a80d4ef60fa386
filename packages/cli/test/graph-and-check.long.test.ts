import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Resvg } from "@resvg/resvg-js";
import { expect, it } from "vitest";
import { joke, order, pipeline } from "./support/flows.js";
import { createProject } from "./support/project.js";

it("writes a graph as SVG, HTML, Mermaid and JSON", async () => {
  const project = createProject({ "order.ts": order });
  const read = (name: string): string => readFileSync(join(project.folder, name), "utf8");

  for (const kind of ["svg", "html", "mmd", "json"])
    expect(await project.call("graph", "order.ts", "-o", `g.${kind}`)).toMatchObject({ code: 0, stderr: "" });
  const odd = await project.call("graph", "order.ts", "-o", "g.doc");
  const nowhere = await project.call("graph", "order.ts", "-o", "no/folder/g.svg");
  const printed = await project.call("graph", "order.ts");

  const drawn = new Resvg(read("g.svg")).render();
  expect(drawn.width).toBeGreaterThan(100);
  expect(drawn.height).toBeGreaterThan(300);
  expect(read("g.svg")).toContain("unpriced");
  expect(read("g.html")).toMatch(/<svg [\s\S]*OrderFlow/);
  expect(read("g.html")).not.toMatch(/<script|src=|href=/);
  expect(read("g.mmd")).toContain("flowchart");
  expect(JSON.parse(read("g.json"))).toMatchObject({ name: "OrderFlow" });
  expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining("OUTPUT_UNKNOWN") });
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written: ENOENT") });
  expect(nowhere.stderr).not.toContain("    at ");
  expect(printed.stdout).toContain("flowchart");
});

it("draws a pipeline as its author wrote it", async () => {
  const condition = `new Condition({ name: "long?", evaluator: true, steps: [cut], elseSteps: [fill] }),`;
  const steps = "function cut() {}\nfunction fill() {}\n";
  const forked = pipeline
    .replace("import {", "import { Condition,")
    .replace("const say", `${steps}const say`)
    .replace('new Step({ name: "last"', `${condition} new Step({ name: "last"`);
  const project = createProject({ "pipe.ts": forked });

  await project.call("graph", "pipe.ts", "-o", "g.svg");
  await project.call("graph", "pipe.ts", "-o", "g.html");
  const { stdout: mermaid } = await project.call("graph", "pipe.ts");

  const svg = readFileSync(join(project.folder, "g.svg"), "utf8");
  expect(svg.match(/(?<=<g class="group"><title>)[^<]*/g)).toEqual([
    "Parallel · both",
    "Loop · again",
    "Parallel · inner",
    "Condition · long?",
    "then",
    "else",
  ]);
  expect(svg).not.toContain("NaN");
  expect(mermaid).toMatch(
    /subgraph \S+\["Loop · again"\]\n(?: {2}step.*\n)* {2}subgraph \S+\["Parallel · inner"\]\n(?: {2}step.*\n)+ {2}end\n {2}end\n/,
  );
  for (const drawn of [svg, readFileSync(join(project.folder, "g.html"), "utf8"), mermaid])
    expect(drawn).not.toMatch(/\b(begin|finish|caught|cancel|converse|gather)\b|pipeline\.enter/);
});

it("checks graphs, and live runs against the code", async () => {
  const project = createProject({ "joke.ts": joke, "order.ts": order });
  await project.call("run", "order.ts", "--id", "o-1");

  const fine = await project.json<{ live: object; problems: object[] }>("check", "order.ts");
  project.write("order.ts", order.replaceAll("async approve(", "async decide("));
  const changed = await project.call("check", "order.ts");
  project.write(
    "order.ts",
    order.replace("@step({ on: Total, emits: StopEvent, waits", "@step({ on: Decision, emits: StopEvent, waits"),
  );
  const broken = await project.call("check", "order.ts");

  expect(fine).toMatchObject({ problems: [], live: { runs: 1, problems: [] } });
  expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining("1 that this code cannot continue") });
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining("No step accepts Total") });
});
