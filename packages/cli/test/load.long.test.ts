/** What a file with workflows may look like, and what is said of one that cannot be loaded. */
import { describe, expect, it } from "vitest";
import { joke } from "./support/flows.js";
import { createProject } from "./support/project.js";

const functions = `
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { word } from "@/word";
export default defineWorkflow("said").step("say", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: word })).build();
`;
const pipeline = `
import { Pipeline } from "@millrace/pipeline";
export const shout = new Pipeline({ name: "Shout", steps: [({ input }) => String(input).toUpperCase()] });
`;
const javascript = `
const { StartEvent, StopEvent, defineWorkflow } = require("millrace");
const flow = defineWorkflow("plain").step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 7 })).build();
module.exports = { flow };
`;
const several = `
import { flow as one } from "./functions.ts";
export const workflows = { "durable-name": one };
`;

describe("a file with workflows", () => {
  it("has functions, a pipeline or an object of workflows; with aliases of its tsconfig", async () => {
    const project = createProject({
      "functions.ts": `${functions.replace("export default", "export const flow =")}`,
      "default.mts": functions,
      "pipeline.ts": pipeline,
      "several.ts": several,
      "lib/word.ts": 'export const word = "alias";',
      "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } }',
    });

    expect((await project.call("run", "default.mts")).stdout).toMatch(/^said {2}[\s\S]*"alias"$/);
    expect((await project.call("run", "pipeline.ts", "-i", '"hey"')).stdout).toMatch(/^HEY$/m);
    expect((await project.call("run", "several.ts")).stdout).toMatch(/^durable-name {2}/);
  });

  it("fails with exit code 1 if its pipeline fails", async () => {
    const failing = pipeline.replace("String(input).toUpperCase()", "input.never.called()");
    const project = createProject({ "pipeline.ts": failing });

    const { code, stdout, stderr } = await project.call("run", "pipeline.ts", "-i", '"hey"');

    expect({ code, said: `${stdout}${stderr}` }).toMatchObject({
      code: 1,
      said: expect.stringContaining("PIPELINE_FAILED"),
    });
  });

  it("is CommonJS, with the older decorators, as `npm init` leaves a project", async () => {
    const project = createProject({
      "package.json": '{ "name": "old", "type": "commonjs" }',
      "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true } }',
      "joke.ts": joke,
      "plain.js": javascript,
    });

    const typed = await project.call("run", "joke.ts#JokeFlow", "-i", '{"topic":"pirate"}');
    const plain = await project.call("run", "plain.js");

    expect(typed).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/\b26$/) });
    expect(plain).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/\b7$/) });
  });
});

describe("a file that cannot be used", () => {
  it("says where the code is wrong, without a stack of ours", async () => {
    const project = createProject({
      "syntax.ts": "export const a = 1;\nconst b = [1, 2;\n",
      "throws.ts": 'import "millrace";\n\nthrow new Error("boom");\n',
      "script.mjs": "export const a = 1 +* 2;\n",
      "missing.ts": 'import "not-installed";\n',
    });

    const syntax = await project.call("run", "syntax.ts");
    const throws = await project.call("run", "throws.ts");
    const script = await project.call("graph", "script.mjs");
    const missing = await project.call("check", "missing.ts");

    expect(syntax).toMatchObject({ code: 1, stdout: "" });
    expect(syntax.stderr).toMatch(
      /^SYNTAX_INVALID {2}syntax\.ts:2:16: .*\n[\s\S]*> {4}2 \| const b = \[1, 2;\n {7}\| {16}\^/,
    );
    expect(throws.stderr).toMatch(/^CODE_FAILED {2}throws\.ts could not be loaded: boom\n[\s\S]*throws\.ts:3:7/);
    expect(script.stderr).toMatch(/^SYNTAX_INVALID {2}script\.mjs:1:21: Unexpected token/);
    expect(missing.stderr).toContain("npm install not-installed");
    for (const { stderr } of [syntax, throws, script, missing]) expect(stderr).not.toMatch(/^ +at /m);
  });

  it("says what a file exports that has no workflow, and which one to name where it has several", async () => {
    const project = createProject({ "none.ts": "export class Order {}\nexport const limit = 3;\n", "joke.ts": joke });

    const none = await project.call("run", "none.ts");
    const several = await project.call("run", "joke.ts");
    const unknown = await project.call("graph", "joke.ts#Nope");
    const gone = await project.call("run", "gone.ts");

    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("It exports Order (class), limit (number)."),
    });
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining("`joke.ts#JokeFlow`") });
    expect(unknown.stderr).toContain('no workflow "Nope", but JokeFlow, AskFlow');
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining("FILE_UNKNOWN") });
  });

  it("says what of the input is wrong: the place in the JSON, and all that the schema refuses", async () => {
    const project = createProject({ "joke.ts": joke });
    const run = (input: string) => project.call("run", "joke.ts#JokeFlow", "--json", "--input", input);

    const noJson = await run('{"topic":}');
    const refused = await run('{"topic":1,"words":"many"}');

    expect(JSON.parse(noJson.stderr)).toMatchObject({
      error: { code: "INPUT_NOT_JSON", details: { line: 1, column: 10 } },
    });
    expect(noJson).toMatchObject({ code: 2, stdout: "" });
    const { error } = JSON.parse(refused.stderr) as {
      error: { code: string; details: { issues: { path: string }[] } };
    };
    expect(error.code).toBe("EVENT_INVALID");
    expect(error.details.issues.map(({ path }) => path)).toEqual(["topic", "words"]);
  });

  it("says what is wrong with how it was called", async () => {
    const project = createProject();

    const unknown = await project.call("walk");
    const option = await project.call("runs", "--colour");
    const forScripts = await project.call("runs", "--colour", "--json");
    const both = await project.call("runs", "--url", "http://127.0.0.1:1", "--store", "a.db");
    const help = await project.call("--help");

    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown command 'walk'") });
    expect(option).toMatchObject({ code: 2, stderr: expect.stringContaining("--colour") });
    expect(JSON.parse(forScripts.stderr)).toMatchObject({ error: { code: "OPTION_INVALID" } });
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("OPTION_INVALID") });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("Exit codes: 0 done") });
  });
});
