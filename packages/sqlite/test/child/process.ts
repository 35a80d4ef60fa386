import { join } from "node:path";
import { ScriptProcess } from "@millrace/conformance/processes";
import { onTestFinished } from "vitest";

/** A process that runs one of the scripts beside this file. It ends with the test. */
export class Child extends ScriptProcess {
  constructor(script: string, values: readonly string[], nodeOptions: readonly string[] = []) {
    super(join(import.meta.dirname, script), values, nodeOptions);
    onTestFinished(() => this.kill());
  }
}
