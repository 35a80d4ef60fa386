import type { AuditAction, AuditEntry } from "@millrace/client";
import { wholeNumber } from "../option-values.js";
import { commandText } from "../output/command-text.js";
import { isoText, tableText } from "../output/format.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";

interface AuditOptions extends TargetOptions {
  readonly user?: string;
  readonly door?: string;
  readonly action?: AuditAction;
  readonly run?: string;
  readonly limit: string;
  readonly cursor?: string;
}

/** Who did what to the runs, the newest first. */
export async function audit(terminal: Terminal, options: AuditOptions): Promise<number> {
  const { user, door, action, run, cursor } = options;
  const filter = {
    ...(user !== undefined && { user }),
    ...(door !== undefined && { door }),
    ...(action !== undefined && { action }),
    ...(run !== undefined && { handlerId: run }),
    ...(cursor !== undefined && { cursor }),
    limit: wholeNumber("limit", options.limit, [1, 1_000]),
  };
  return withTarget(openTarget(terminal, options), async (target) => {
    const page = await target.client.audit(filter);
    if (terminal.isJson) {
      terminal.json({ entries: page.entries.map((entry) => wired({ ...entry })), cursor: page.cursor });
      return 0;
    }
    for (const line of tableText(page.entries.map(cellsOf), terminal.columns)) terminal.line(line);
    if (page.entries.length === 0) terminal.note(`No entries in ${target.name}.`);
    if (page.cursor !== null) terminal.note(`More: ${nextPage(options, [...target.flags, "--cursor", page.cursor])}`);
    return 0;
  });
}

const cellsOf = ({ atMs, action, handlerId, workflow, by, queue, schedule }: AuditEntry): string[] => [
  isoText(atMs),
  by.user ?? "",
  by.door,
  action,
  handlerId === "" ? (queue ?? schedule ?? "") : handlerId,
  workflow,
];

function nextPage(options: AuditOptions, flags: readonly string[]): string {
  const filters = (["user", "door", "action", "run"] as const).flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  return commandText("audit", { flags: [...filters, ...flags] });
}
