import type { StepDefinition } from "../engine/definition.js";
import type { Finding } from "../engine/finding.types.js";
import { formatValue } from "../value/format-value.js";
import { quoteNames, suggest } from "./finding.js";

/** Checks which steps error handlers cover: existing ones, no other handlers, and each step at most once. */
export function checkHandlers(steps: readonly StepDefinition[]): Finding[] {
  const kinds = new Map(steps.map(({ name, trigger }) => [name, trigger.kind]));
  const owners = new Map<string | null, string>();
  const findings: Finding[] = [];
  for (const { name, trigger } of steps) {
    if (trigger.kind !== "failure") continue;
    // null: every step that no other handler covers.
    for (const target of new Set(trigger.steps ?? [null])) {
      const owner = owners.get(target);
      const fault =
        owner === undefined
          ? faultOf(target, name, kinds)
          : ([
              `${target === null ? "every step" : `step "${target}"`}, as "${owner}" does`,
              "Name in `steps` what each of them covers.",
            ] as const);
      if (fault === null) owners.set(target, name);
      else
        findings.push({
          check: "catchError",
          step: name,
          message: `Error handler "${name}" covers ${fault[0]}.`,
          hint: fault[1],
        });
    }
  }
  return findings;
}

type Fault = readonly [what: string, hint: string];

function faultOf(target: string | null, handler: string, kinds: ReadonlyMap<string, string>): Fault | null {
  if (target === null) return null;
  const kind = kinds.get(target);
  if (kind === undefined)
    return [
      `${formatValue(target)}, which is not a step`,
      suggest(target, kinds.keys()).trim() || `There are ${quoteNames([...kinds.keys()])}.`,
    ];
  if (kind !== "failure") return null;
  return [
    target === handler ? "itself" : `the error handler "${target}"`,
    "What a handler throws fails the run: leave it out of `steps`.",
  ];
}
