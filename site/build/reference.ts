/** Every export of every published package, as TypeDoc reads them, as pages below /api. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { Application, Converter, LogLevel } from "typedoc";
import { published } from "../../scripts/setup/pack.mjs";
import { pagesFolder } from "./files.ts";

/** What to import from, by the file with its types. */
function entries(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { folder, name } of published()) {
    const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    for (const [path, targets] of Object.entries<{ readonly types?: string }>(exports)) {
      if (targets.types !== undefined) found.set(join(folder, targets.types), posix.join(name, path));
    }
  }
  return found;
}

export async function writeReference(): Promise<void> {
  const names = entries();
  if (names.size === 0) throw new TypeError("No package has types in its exports");
  const app = await Application.bootstrapWithPlugins({
    entryPoints: [...names.keys()],
    tsconfig: join(import.meta.dirname, "..", "tsconfig.reference.json"),
    skipErrorChecking: true, // the type check of each package has done it
    plugin: ["typedoc-plugin-markdown"],
    out: join(pagesFolder, "api"),
    name: "API",
    readme: "none",
    excludeInternal: true,
    disableSources: true,
    disableGit: true,
    logLevel: LogLevel.Error,
    // Of the plugin:
    ...{
      sanitizeComments: true,
      outputFileStrategy: "modules",
      entryFileName: "index",
      hidePageHeader: true,
      hideBreadcrumbs: true,
    },
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const file = project.getSymbolIdFromReflection(module)?.fileName;
      const name = file === undefined ? undefined : names.get(String(file));
      if (name !== undefined) module.name = name;
    }
  });
  const project = await app.convert();
  if (project === undefined) throw new TypeError("TypeDoc could not read the packages");
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new TypeError("TypeDoc could not write the reference");
}
