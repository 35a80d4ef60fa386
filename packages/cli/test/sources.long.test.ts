/** The code of steps, as `dev` gives it to the studio. */
import { describe, expect, it } from "vitest";
import { pipeline, sources } from "./support/flows.js";
import { createProject, type Project } from "./support/project.js";

const methods: readonly (readonly [step: string, code: string])[] = [
  [
    "write",
    `  @step({ on: StartEvent, emits: Joke })
  async write(ev: StartEvent, _ctx: Context): Promise<Joke> {
    // A comment that no compiler keeps.
    const topic: string = String(ev.get("topic") ?? "pirate");
    return new Joke({
      text: \`A \${topic}.\`,
    });
  }`,
  ],
  [
    "judge it",
    `  @step({
    name: "judge it",
    on: Joke,
    emits: StopEvent,
  })
  judge({ text }: Joke): StopEvent {
    return new StopEvent({ result: text.length });
  }`,
  ],
];
const functions: typeof methods = [
  ["say", '  .step("say", { on: StartEvent, emits: Said }, (ev) => new Said({ words: [String(ev.get("word"))] }))'],
  [
    "end",
    `    ({ words }) =>
      new StopEvent({
        result: words.length,
      }),`,
  ],
];

/** Functions that are not written where the workflow is. */
const others = `
import { defineWorkflow, event, StartEvent, StopEvent } from "millrace";
import { ofPackage } from "./node_modules/lib/index.js";
import { outside } from "../../outside.mjs";

class Next extends event("Next", {}) {}
class Last extends event("Last", {}) {}
class End extends event("End", {}) {}
function inside() {
  return new StopEvent({ result: 1 });
}
export const others = defineWorkflow("others")
  .step("package", { on: StartEvent, emits: Next }, ofPackage)
  .step("outside", { on: Next, emits: Last }, outside)
  .step("native", { on: Last, emits: End }, Math.max)
  .step("bound", { on: End, emits: StopEvent }, inside.bind(null))
  .build();
`;

const lineOf = (text: string, code: string): number => text.slice(0, text.indexOf(code)).split("\n").length;
const unknown = { code: "SOURCE_UNKNOWN" };

async function serve(project: Project, command: string, file: string) {
  const server = project.start(command, file, "--port", "0");
  const address = /http:\/\/[^\s/]+/;
  await expect.poll(() => server.lines().join("\n"), { timeout: 120_000 }).toMatch(address);
  const [url] = address.exec(server.lines().join("\n")) as RegExpExecArray;
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  const sourceOf = (...names: [workflow: string, step: string]) => {
    const [workflow, step] = names.map(encodeURIComponent);
    return get(`/workflows/${workflow}/steps/${step}/source`);
  };
  return { server, get, sourceOf };
}

describe("the code of a step", () => {
  it("is what stands in the file, with its decorators, until the file is another one", async () => {
    const project = createProject({ "flows/sources.ts": sources });
    const { server, get, sourceOf } = await serve(project, "dev", "flows/sources.ts");

    for (const [workflow, steps] of [["JokeFlow", methods] as const, ["said", functions] as const])
      for (const [step, text] of steps)
        expect(await sourceOf(workflow, step)).toEqual({ file: "flows/sources.ts", line: lineOf(sources, text), text });
    expect(await get("/studio/config")).toMatchObject({ sources: true });

    project.write("flows/sources.ts", `\n\n${sources}}`);
    await expect.poll(() => server.said(), { timeout: 120_000 }).toContain("SYNTAX_INVALID");

    expect(await sourceOf("JokeFlow", "write")).toMatchObject(unknown);
  });

  it("is found in CommonJS with the older decorators", async () => {
    const project = createProject({
      "package.json": '{ "name": "old", "type": "commonjs" }',
      "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true } }',
      "sources.ts": sources,
    });
    const { sourceOf } = await serve(project, "dev", "sources.ts");

    for (const [step, text] of methods)
      expect(await sourceOf("JokeFlow", step)).toEqual({ file: "sources.ts", line: lineOf(sources, text), text });
  });

  it("is not that of packages, of files outside the project, nor of what is native", async () => {
    const project = createProject({
      "outside.mjs": "export const outside = () => 1;",
      "app/package.json": '{ "name": "app", "type": "module" }',
      "app/src/node_modules/lib/index.js": "export const ofPackage = () => 1;",
      "app/src/node_modules/lib/package.json": '{ "name": "lib", "type": "module" }',
      "app/src/others.ts": others,
    });
    const { sourceOf } = await serve(project, "dev", "app/src");

    for (const step of ["package", "outside", "native"])
      expect(await sourceOf("others", step), step).toMatchObject(unknown);
    expect(await sourceOf("others", "bound")).toMatchObject({
      file: "src/others.ts",
      text: "function inside() {\n  return new StopEvent({ result: 1 });\n}",
    });
  });

  it("is that of the functions of a pipeline, and not of what leads to them", async () => {
    const project = createProject({ "pipeline.ts": pipeline });
    const { sourceOf } = await serve(project, "dev", "pipeline.ts");
    const say = `const say: StepFunction = ({ input = null }) => \`said of \${input}\`;`;
    const last = '    new Step({ name: "last", executor: () => ({ length: 26 }) }),';

    for (const step of ["left", "right", "turn", "a", "b"])
      expect(await sourceOf("deep", step)).toEqual({ file: "pipeline.ts", line: lineOf(pipeline, say), text: say });
    expect(await sourceOf("deep", "last")).toEqual({ file: "pipeline.ts", line: lineOf(pipeline, last), text: last });
    for (const step of ["begin", "both", "again", "left: ask"])
      expect(await sourceOf("deep", step), step).toMatchObject(unknown);
  });

  it("is shown by `dev` only", async () => {
    const project = createProject({ "sources.ts": sources });
    const { get, sourceOf } = await serve(project, "serve", "sources.ts");

    expect(await sourceOf("JokeFlow", "write")).toMatchObject({ code: "NOT_FOUND" });
    expect(await get("/studio/config")).toMatchObject({ sources: false });
  });
});
