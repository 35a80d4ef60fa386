import type { FailureGroup } from "@millrace/client";
import { wholeNumber } from "../option-values.js";
import { commandText } from "../output/command-text.js";
import { agoText } from "../output/format.js";
import type { Terminal } from "../output/terminal.js";
import { wiredTree } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";
import { type TimeOptions, timeFilter } from "./stats.js";

interface FailuresOptions extends TargetOptions, TimeOptions {
  readonly codeVersion?: string;
  readonly limit: string;
}

/** Failures of runs, grouped by step and message, those with the most runs first. */
export async function failures(terminal: Terminal, options: FailuresOptions): Promise<number> {
  const { codeVersion: version } = options;
  const filter = {
    ...timeFilter(options),
    ...(version !== undefined && { version }),
    limit: wholeNumber("limit", options.limit, [1, 1_000]),
  };
  return withTarget(openTarget(terminal, options), async (target) => {
    const found = await target.client.failures(filter);
    if (terminal.isJson) {
      terminal.json(wiredTree(found));
      return 0;
    }
    for (const group of found.groups) for (const line of linesOf(group)) terminal.line(line);
    const [first] = found.groups;
    if (first === undefined) terminal.note(`No run has failed in this time in ${target.name}.`);
    else
      terminal.note(`Their runs: ${commandText("runs", { flags: ["--where", `error:${first.id}`, ...target.flags] })}`);
    return 0;
  });
}

function linesOf({ id, workflow, step, code, message, count, firstAtMs, lastAtMs, versions }: FailureGroup): string[] {
  const nowMs = Date.now();
  const known = versions.flatMap(({ version, count: of }) => (version === null ? [] : [`${version} (${of})`]));
  const facts = [
    `error:${id}`,
    ...(code === null ? [] : [code]),
    `first ${agoText(firstAtMs, nowMs)}, last ${agoText(lastAtMs, nowMs)}`,
    ...(known.length === 0 ? [] : [`versions ${known.join(", ")}`]),
  ];
  return [`${count} × ${workflow}${step === null ? "" : ` › ${step}`}: ${message}`, `    ${facts.join("  ")}`];
}
