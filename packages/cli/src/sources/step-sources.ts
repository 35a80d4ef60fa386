/** The code of steps, for the studio: of files of the project, and of no others. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import type { StepSource, StepSources } from "@millrace/server";
import { decoratedLine } from "../code/decorated-line.js";
import type { Kit } from "../code/user-millrace.js";
import { compiledPlace } from "./compiled-place.js";
import { type WrittenPlace, writtenPlace } from "./written-place.js";

/** @param folder Of the project. */
export function stepSources({ engine }: Kit, folder: string): StepSources {
  return {
    read: async (workflow, step) => {
      const { steps, options } = engine.compileWorkflow(workflow);
      const note = options.stepNotes[step];
      const callable = note?.run ?? steps.get(step)?.call;
      const compiled = callable === undefined ? null : compiledPlace(callable);
      const written = compiled === null ? null : writtenPlace(compiled);
      return written === null ? null : sourceAt(written, folder);
    },
  };
}

function sourceAt({ file: given, first, last, content }: WrittenPlace, folder: string): StepSource | null {
  if (!existsSync(given)) return null;
  const path = realpathSync(given);
  const parts = relative(realpathSync(folder), path).split(sep);
  if (parts[0] === ".." || isAbsolute(parts.join(sep)) || parts.includes("node_modules")) return null;
  // The running code is older than such a file: its lines differ.
  if (content === null && statSync(path).mtimeMs > performance.timeOrigin) return null;
  const lines = (content ?? readFileSync(path, "utf8")).split(/\r?\n/);
  const begin = decoratedLine(lines, first);
  return { file: parts.join("/"), line: begin + 1, text: lines.slice(begin, last + 1).join("\n") };
}
