import type { PipelineRunOutput } from "../run/run-output.types.js";
import type { PrintOptions } from "./print-options.js";
import { printEnd } from "./run-end.js";
import { printInput, printTitle } from "./run-title.js";
import { Screen } from "./screen.js";
import { StepPrinter } from "./step-printer.js";
import { openTerminal } from "./terminal.js";

/**
 * Prints the output of a run: its input, the content of each step below the step's name, its result unless a step has
 * it, and errors or open questions.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when `markdown` is true and `markdansi` is not installed.
 */
export async function printOutput(output: PipelineRunOutput, options: PrintOptions = {}): Promise<void> {
  const terminal = await openTerminal(options);
  const screen = new Screen(terminal.out);
  printTitle(output.pipelineName, { screen, terminal });
  printInput(output.input, { screen, terminal });
  printEnd(output, { terminal, screen, steps: new StepPrinter(terminal, screen) });
}
