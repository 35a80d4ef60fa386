import { defineConfig, type Plugin } from "vitepress";
import llmsText from "vitepress-plugin-llms";
import { addresses } from "../../scripts/addresses.mjs";
import { boostDocument } from "../build/boost-document.ts";
import { installTabs } from "../build/install-tabs.ts";
import { sectionPicker } from "../build/section-picker.ts";
import { folderSidebar, sidebar } from "../build/sidebar.ts";

/** As GitHub makes them: links with a `#` work in both places. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

export default defineConfig({
  title: "Millrace",
  description: "Event-driven workflows in TypeScript: steps take and emit typed events, and a run resumes anywhere.",
  lang: "en",
  srcDir: ".pages",
  outDir: "dist",
  cacheDir: ".vitepress/cache",
  lastUpdated: false,
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    anchor: { slugify: anchorOf },
    attrs: { disable: true },
    config: (markdown) => {
      installTabs(markdown);
      sectionPicker(markdown);
    },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Docs", link: "/docs" },
      { text: "API", link: "/api/" },
      { text: "Numbers", link: "/numbers" },
      { text: "Playground", link: "/playground" },
      { text: "Open a run", link: "/run/file.html", target: "_self" },
    ],
    sidebar: {
      "/errors/": folderSidebar("docs/errors"),
      "/decisions/": folderSidebar("docs/decisions"),
      "/": sidebar(),
    },
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // Colours take most of the time, and what is searched has no need of them.
        _render: (source, env, markdown) => {
          const { highlight } = markdown.options;
          markdown.options.highlight = null;
          const html = markdown.render(source, env);
          markdown.options.highlight = highlight ?? null;
          return html;
        },
        miniSearch: { searchOptions: { boostDocument } },
      },
    },
  },
  vite: {
    // `llms.txt`, `llms-full.txt`, and each page as `.md`. The API is in the declarations of the packages.
    plugins: [
      llmsText({
        ignoreFiles: ["api/**", "source/**"],
        ignoreFilesPerOutput: { llmsFullTxt: ["decisions/**", "project/**"] },
        injectLLMHint: false,
        sidebar: () => sidebar(), // guides first, then what is in no group
        ...(addresses.site !== null && { domain: addresses.site }),
      }) as unknown as Plugin[], // its types are those of Vite 7, and VitePress 1 has Vite 5
    ],
    build: { target: "es2022", chunkSizeWarningLimit: 2_000 },
    worker: { format: "es" },
  },
});
