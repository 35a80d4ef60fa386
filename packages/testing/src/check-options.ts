import { WorkflowError } from "millrace";
import { checkOptions as checkAll, type Rules } from "millrace/engine";

/** @throws {WorkflowError} `OPTION_INVALID`, naming every option that nobody reads. */
export function checkOptions<Options extends object>(call: string, given: Options, rules: Rules<Options>): void {
  checkAll(`The options of \`${call}\` are wrong`, given, { rules });
}

/** @throws {WorkflowError} `OPTION_INVALID` for options beside the functions of a world, where nobody reads them. */
export function checkWorld(call: string, world: object, options: object): void {
  const misplaced = Object.keys(world).filter((name) => Object.hasOwn(options, name));
  if (misplaced.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `What \`${call}\` proves has options beside its functions: ${misplaced.map((name) => `\`${name}\``).join(", ")}.`,
    hint: "Give them with the options.",
  });
}
