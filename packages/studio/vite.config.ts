import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  base: "./", // the server may be mounted below any path
  build: {
    outDir: "dist/app",
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows no `data:` but images
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "file.html"] }, // over a server, and over a run file
  },
  // While the page is worked on: `vite`, beside a server with `STUDIO_API=http://127.0.0.1:8080`.
  server: { proxy: { "/api": { target: process.env["STUDIO_API"] ?? "", rewrite: (path) => path.slice(4) } } },
});
