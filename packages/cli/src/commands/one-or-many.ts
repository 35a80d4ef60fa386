/** Commands that act on one run, or on all that match `--where`. */
import type { BulkAction } from "@millrace/client";
import { invalidOption } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";
import type { TargetOptions } from "../target/target.types.js";
import type { BulkCommandOptions } from "./bulk.js";

export interface OneOrMany extends TargetOptions, Partial<Pick<BulkCommandOptions, "yes" | "rate" | "cancelledBy">> {
  readonly runId?: string;
  readonly where?: string;
}

export type OneOrManyCommand<More = unknown> = (terminal: Terminal, options: OneOrMany & More) => Promise<number>;

type One<More> = (terminal: Terminal, options: TargetOptions & More & { readonly runId: string }) => Promise<number>;

/** @throws {CliError} `OPTION_INVALID` for neither or both. */
export function oneOrMany<More = unknown>(action: BulkAction, one: One<More>): OneOrManyCommand<More> {
  return async (terminal, options) => {
    const { runId, where, cancelledBy } = options;
    const given = [runId, where, cancelledBy].filter((part) => part !== undefined);
    if (given.length === 1) {
      if (runId !== undefined) return one(terminal, { ...options, runId });
      const { bulk } = await import("./bulk.js");
      return bulk(terminal, action, options);
    }
    const names = action === "resume" ? "`--where`, `--cancelled-by`" : "`--where`";
    const message = given.length === 0 ? "No run is named." : `${names} and the id of a run exclude each other.`;
    throw invalidOption(message, `Write \`millrace ${action} <runId>\`, or \`--where 'status:failed after:2h'\`.`);
  };
}
