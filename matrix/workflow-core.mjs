/** Programs of `@llamaindex/workflow-core`, first on that package, then on `@millrace/workflow-core` under its name, then durable. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesOf, rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const demos = join(matrix, "..", "examples", "from-workflow-core");
const alias = "@llamaindex/workflow-core@npm:@millrace/workflow-core";
const programs = ["demos.ts", "in-memory.ts", "others.ts"];

export function workflowCoreRows() {
  const { "durable.ts": durable, ...files } = filesOf("workflow-core");
  const others = ["@llamaindex/workflow@1", "@llamaindex/core@0.6", "@llamaindex/env@0.1", "zod@4"];
  const commands = [
    `npm install --no-audit --no-fund @llamaindex/workflow-core@1.3.4 ${others.join(" ")}`,
    "npm install --no-audit --no-fund --save-dev tsx typescript@7 @types/node@24",
    "npx tsc",
    "npm ls --parseable --long @llamaindex/workflow-core # :@llamaindex/workflow-core@1.3.4",
    "mkdir before && sha256sum *.ts original/* > before/sums",
    ...programs.map((program) => `npx tsx ${program} > before/${program}.out`),
    "cat before/*.out # branches: Branch A, Branch B, Branch C",
    ": # agent: My name is Ada. The weather in San Francisco is sunny and 72°F.",
    ": # in memory: A-17 shipped",
    ": # agent of LlamaIndex: asked for Turin: It is sunny in Turin.",
    "npm pkg set 'overrides.@llamaindex/workflow-core=$@llamaindex/workflow-core'",
    `npm install --no-audit --no-fund ${alias} millrace`,
    "grep '\"name\"' node_modules/@llamaindex/workflow-core/package.json # @millrace/workflow-core",
    'echo "$(npm ls --parseable @llamaindex/workflow-core | wc -l) copy" # 1 copy',
    "sha256sum --check --quiet before/sums",
    "npx tsc",
    ...programs.map((program) => `npx tsx ${program} | diff before/${program}.out -`),
    "npm install --no-audit --no-fund @millrace/sqlite",
    "mv durable.txt durable.ts",
    "npx tsc",
    "npx tsx durable.ts begin || echo killed # waits, and dies",
    "npx tsx durable.ts # continued: A-17 shipped",
  ];
  const all = { ...files, ...original(), "durable.txt": durable };
  return [rowOf({ name: "programs of workflow-core", files: all, commands }, 24)];
}

/** The demos of its repository. */
function original() {
  const names = readdirSync(join(demos, "original")).map((name) => `original/${name}`);
  return Object.fromEntries(["model.ts", ...names].map((name) => [name, readFileSync(join(demos, name), "utf8")]));
}
