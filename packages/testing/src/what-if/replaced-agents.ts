/**
 * Puts another model and other instructions in the place of those of agents. `@millrace/agents` looks for them in the global object, so
 * that neither package needs the other.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import type { WhatIfOptions } from "./what-if.types.js";

const place: unique symbol = Symbol.for("millrace.replaced-agents") as never;

/** What agents read. They count what they have used. */
interface Replaced extends Pick<WhatIfOptions, "model" | "instructions"> {
  models: number;
  texts: number;
}

export class ReplacedAgents {
  readonly #replaced: Replaced;

  constructor({ model, instructions }: Pick<WhatIfOptions, "model" | "instructions">) {
    this.#replaced = {
      ...(model !== undefined && { model }),
      ...(instructions !== undefined && { instructions }),
      models: 0,
      texts: 0,
    };
  }

  /** For one at a time. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const shared = globalThis as { [place]?: Replaced };
    shared[place] = this.#replaced;
    try {
      return await work();
    } finally {
      delete shared[place];
    }
  }

  /** @throws {WorkflowError} `OPTION_INVALID` where something has replaced nothing. */
  assertUsed(): void {
    const { model, instructions, models, texts } = this.#replaced;
    const unused = [
      ...(model !== undefined && models === 0 ? ["model"] : []),
      ...(instructions !== undefined && texts === 0 ? ["instructions"] : []),
    ];
    if (unused.length === 0) return;
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `${unused.map((option) => `\`${option}\``).join(" and ")} of \`whatIf\` replaced nothing: no agent with it was live.`,
      hint: "It is for agents of `@millrace/agents`. Pass other workflows with their model; see also `live`.",
      details: { options: unused },
    });
  }
}
