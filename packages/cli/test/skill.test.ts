import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProject } from "./support/project.js";

it.each([
  ["millrace", [], "experimentalDecorators"],
  ["migrate-from-workflow-core", ["migrate-from-workflow-core"], "durable(workflow, "],
])("writes the skill %s, as it is in the package", async (name, args, contains) => {
  const project = createProject();
  const file = `.agents/skills/${name}/SKILL.md`;

  const written = await project.call("skill", ...args, "--output", file);

  const text = readFileSync(join(project.folder, file), "utf8");
  expect(written).toMatchObject({ code: 0, stdout: "", stderr: `Wrote ${file}.\n` });
  expect(text).toMatch(new RegExp(`^---\nname: ${name}\ndescription: \\S`));
  expect(text).toContain(contains);
  expect((await project.call("skill", name)).stdout).toBe(text.trimEnd());
});

it("lists the skills with what each is for", async () => {
  const project = createProject();

  const [listed, asJson] = [await project.call("skill", "--list"), await project.call("skill", "--list", "--json")];

  expect(listed.stdout).toMatch(/^migrate-from-workflow-core {2}Move a program .*\nmillrace {20}Write, check, .*$/);
  expect(JSON.parse(asJson.stdout)).toMatchObject([{ name: "migrate-from-workflow-core" }, { name: "millrace" }]);
});

it("refuses a name that no skill has, and names the others", async () => {
  const refused = await createProject().call("skill", "../../docs", "--json");

  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout || refused.stderr)).toMatchObject({
    error: { code: "OPTION_INVALID", hint: "Skills are migrate-from-workflow-core and millrace." },
  });
});
