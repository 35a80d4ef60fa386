import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { mounted } from "./mounted.ts";
import { useOnePackageManager } from "./package-manager.ts";
import { SectionPicker } from "./section-picker.ts";
import "./style.css";

/** The theme of VitePress, with what pages show beside text: `<TinyRun />`, `<Playground />`, and the picker of sections. */
const theme: Theme = {
  extends: DefaultTheme,
  setup: useOnePackageManager,
  enhanceApp({ app }) {
    app.component("SectionPicker", SectionPicker);
    app.component(
      "TinyRun",
      mounted("tiny-run", async () => (await import("../../src/tiny/view.ts")).showTiny),
    );
    app.component(
      "Playground",
      mounted("playground", async () => (await import("../../src/playground/view.ts")).showPlayground),
    );
  },
};

export default theme;
