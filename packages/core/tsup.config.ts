import { defineConfig, type Options } from "tsup";
import { declarations } from "../../tsup.shared.js";

const entry = {
  index: "src/index.ts",
  engine: "src/entries/engine.ts",
  graph: "src/entries/graph.ts",
  runtime: "src/entries/runtime.ts",
  wire: "src/entries/wire.ts",
};

/**
 * esbuild makes one file of the modules that the same entries import, and forgets an import without effect. With this plugin, it keeps
 * the imports of whole modules, so that all entries but `wire` import what `index` does: Node takes a millisecond for each file.
 */
const wholeFiles: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "whole-files",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\.+\// }, async ({ path, pluginData, ...at }) => {
      if (pluginData === wholeFiles) return;
      return { ...(await resolve(path, { ...at, pluginData: wholeFiles })), sideEffects: true };
    });
  },
};

export default defineConfig({
  entry: {
    ...entry,
    // Nobody imports these: files of their own, which a bundler can leave out as a whole.
    pure: "src/entries/pure.ts",
    reading: "src/entries/reading.ts",
  },
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  // The entries share modules that hold state (the registered steps): each may exist once only.
  splitting: true,
  // Node takes a millisecond to find each of these packages, and more for CommonJS.
  noExternal: ["async-mutex", "eventemitter3"],
  esbuildOptions: (options) => {
    options.alias = { eventemitter3: "./node_modules/eventemitter3/dist/eventemitter3.esm.js" };
  },
  esbuildPlugins: [wholeFiles],
  dts: declarations({ entry }),
  clean: true,
});
