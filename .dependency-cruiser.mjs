/** Which imports there may be: none in a circle, and in the core only from a layer to those below it. Types count, too. */
const inCore = (folders) => `^packages/core/src/(${folders})(/|[.]ts$)`;
const engineOutside = "system|compile|run|authoring|workflow";

const layer = (name, comment, from, to) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: to },
});

// biome-ignore lint/style/noDefaultExport: dependency-cruiser reads it
export default {
  forbidden: [
    {
      name: "no-circle-of-files",
      comment: "A type that two files need lives in a `*.types.ts` below both.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-circle-of-folders",
      comment: "Of two folders side by side, at most one imports from the other.",
      severity: "error",
      scope: "folder",
      from: {},
      to: { circular: true },
    },
    layer(
      "reducer-knows-data",
      "The reducer has no ports and no user code: what they answer comes in the tick.",
      inCore("engine/reduce"),
      inCore(`${engineOutside}|step|stream|inspect|resource|retry|limit|engine/ports`),
    ),
    layer("engine-below-runner", "The engine is below the runner.", inCore("engine"), inCore(engineOutside)),
    layer(
      "values-below-engine",
      "Values and events are below the engine.",
      inCore("errors|value|event"),
      inCore(`${engineOutside}|engine|step|graph`),
    ),
    {
      name: "runtime-uses-one-file",
      comment: "What the runtime needs of the engine is listed in `host.ts`: see decision 64.",
      severity: "error",
      from: { path: inCore("runtime") },
      to: { path: "^packages/core/src/", pathNot: inCore("runtime|host|system|value|errors|authoring|wire") },
    },
    layer(
      "agents-without-pipelines",
      "Agents are installed without pipelines: what both need is in `@millrace/executor`.",
      "^packages/(agents|executor)/src",
      "^packages/pipeline/",
    ),
    layer(
      "pipelines-without-agents",
      "Pipelines take any executor.",
      "^packages/(pipeline|executor)/src",
      "^packages/agents/",
    ),
    {
      name: "wire-stands-alone",
      comment: "A page imports it: it has nothing of the engine, of a runtime or of a schema library.",
      severity: "error",
      from: { path: inCore("wire|entries/wire") },
      to: { pathNot: inCore("wire|value") },
    },
    {
      name: "no-node",
      comment: "This package runs where there is no Node.",
      severity: "error",
      from: { path: "^packages/(core|executor|testing)/src" },
      to: { dependencyTypes: ["core"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "found",
      comment: "The import resolves.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "[?]raw$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules|/dist/" },
    exclude: { path: "[.](test|test-d|test-prop)[.]tsx?$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["@millrace/source", "import", "types"] },
  },
};
