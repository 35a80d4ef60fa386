/** Code that does not load while `dev` serves the version before it: the studio says so. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openBrowser } from "../../client/test/support/browser.js";
import { joke } from "./support/flows.js";
import { createProject } from "./support/project.js";

const studio = pathToFileURL(resolve(import.meta.dirname, "../../studio/dist/index.js")).href;
const config = `import { studioFile } from "${studio}";\nexport default { server: { studio: studioFile } };\n`;

it("is named on every page of the studio until it loads again", async () => {
  const project = createProject({ "joke.ts": joke, "millrace.config.ts": config });
  const server = project.start("dev", "joke.ts", "--port", "0");
  await expect.poll(() => server.lines()[0], { timeout: 120_000 }).toMatch(/http/);
  const [origin = ""] = /http:\S+/.exec(server.lines()[0] ?? "") ?? [];
  const url = `${origin}/studio/`;
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole("navigation", { name: "Studio" }).waitFor();
  const banner = page.getByText("The changed code cannot be loaded.");

  expect(await banner.count()).toBe(0);
  writeFileSync(join(project.folder, "joke.ts"), `${joke}\nconst broken = ;\n`);
  await banner.waitFor();
  expect(await page.locator(".connbanner:visible").textContent()).toMatch(/joke\.ts[\s\S]*const broken = ;/);
  await page.goto(`${url}#/workflows`);
  await banner.waitFor();

  writeFileSync(join(project.folder, "joke.ts"), joke);
  await banner.waitFor({ state: "detached" });
});
