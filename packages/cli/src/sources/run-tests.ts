import { join, relative } from "node:path";
import type { RunTests } from "@millrace/server";
import type { NamedWorkflow } from "../code/load-code.js";
import { testFilesOf } from "../code/test-files.js";

/** Tests of the runs of a project, as `millrace test-from -o test` writes them. @param project Its folder. */
export function runTests(found: readonly NamedWorkflow[], project: string): RunTests {
  const fromProject = ({ path, text }: { readonly path: string; readonly text: string }) => {
    return { path: relative(project, path).replaceAll("\\", "/"), text };
  };
  return {
    make: async (run) => {
      const files = await testFilesOf({ ...run, found, folder: join(project, "test") });
      if ("unknown" in files) return null;
      return { recording: fromProject(files.recording), test: fromProject(files.test) };
    },
  };
}
