import { closeSync, writeFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { WorkflowDescription } from "millrace/graph";
import { type Code, loadCode, onlyOne } from "../code/load-code.js";
import { CliError } from "../output/cli-error.js";
import { openOutput } from "../output/open-output.js";
import type { Terminal } from "../output/terminal.js";

interface GraphOptions {
  readonly file: string;
  readonly output?: string;
}

/** Without a file the Mermaid text is printed, or with `--json` the description. */
export async function graph(terminal: Terminal, { file, output }: GraphOptions): Promise<number> {
  const writer = output === undefined ? null : writerOf(output);
  const code = await loadCode(terminal.cwd, file);
  const { workflow, name } = onlyOne(code, file);
  const description = code.kit.graph.describeWorkflow(workflow);
  if (writer === null) {
    if (terminal.isJson) terminal.json(description);
    else terminal.line(code.kit.graph.toMermaid(description).trimEnd());
    return 0;
  }
  const fd = openOutput(terminal.cwd, output as string);
  writeFileSync(fd, await writer(description, code));
  closeSync(fd);
  if (terminal.isJson) terminal.json({ workflow: name, file: resolve(terminal.cwd, output as string) });
  else terminal.line(`${name}: ${output}`);
  return 0;
}

type Writer = (description: WorkflowDescription, code: Code) => string | Promise<string>;

const writers: Readonly<Record<string, Writer>> = {
  ".svg": async (description) => (await import("../graph/svg.js")).svgOf(description),
  ".html": async (description) => (await import("../graph/html.js")).htmlOf(description),
  ".mmd": (description, { kit }) => kit.graph.toMermaid(description),
  ".json": (description) => `${JSON.stringify(description, null, 2)}\n`,
};

function writerOf(output: string): Writer {
  const writer = writers[extname(output).toLowerCase()];
  if (writer !== undefined) return writer;
  throw new CliError({
    code: "OUTPUT_UNKNOWN",
    message: `A graph cannot be written as ${output}.`,
    hint: `Use a name that ends with ${Object.keys(writers).join(", ")}.`,
  });
}
