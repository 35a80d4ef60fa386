import { defineConfig } from "vite";

export default defineConfig({
  base: "./", // the server may be mounted below any path
  resolve: {
    // A third of the size. The compiler and the tests of single components have the types and the code of React.
    alias: [
      { find: /^react\/jsx-(dev-)?runtime$/, replacement: "preact/jsx-runtime" },
      { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
      { find: /^react(-dom)?$/, replacement: "preact/compat" },
    ],
  },
  build: {
    outDir: "dist/app",
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows no `data:` but images
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ["index.html", "file.html"], // over a server, and over a run file
      checks: { moduleLevelDirective: false }, // "use client" of @xyflow/react
    },
  },
  // While the page is worked on: `vite`, beside a server with `STUDIO_API=http://127.0.0.1:8080`.
  server: { proxy: { "/api": { target: process.env["STUDIO_API"] ?? "", rewrite: (path) => path.slice(4) } } },
});
