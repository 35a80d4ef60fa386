/** The programs of `examples/apps`, each copied to an empty folder, installed and tested there. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const apps = join(matrix, "..", "examples", "apps");

export function appRows() {
  const entries = readdirSync(apps, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => {
    const folder = join(apps, name);
    const files = Object.fromEntries(
      readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]),
    );
    const { dependencies, devDependencies, ...project } = JSON.parse(files["package.json"]);
    const packages = Object.entries({ ...dependencies, ...devDependencies }).map(([one, range]) =>
      one === "millrace" || one.startsWith("@millrace/") ? one : `"${one}@${range}"`,
    );
    const commands = [
      `npm install --no-audit --no-fund ${packages.join(" ")}`,
      "npx tsc",
      `npm test && echo "tested ${name}" # tested ${name}`,
    ];
    return rowOf({ name: `app ${name}`, files: { ...files, "package.json": JSON.stringify(project) }, commands }, 24);
  });
}
