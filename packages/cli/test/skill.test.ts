import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject } from "./support/project.js";

it("writes what an assistant has to know, as it is in the package", async () => {
  const project = createProject();
  const file = ".agents/skills/millrace/SKILL.md";

  const written = await project.call("skill", "--output", file);

  const text = readFileSync(join(project.folder, file), "utf8");
  expect(written).toMatchObject({ code: 0, stdout: "", stderr: `Wrote ${file}.\n` });
  expect(text).toMatch(/^---\nname: millrace\ndescription: \S/);
  expect(text).toContain("experimentalDecorators");
});
