import {
  callable,
  checkOptions,
  object,
  optionProblems,
  type Rule,
  type Rules,
  unchecked,
  valueRule,
  wholeNumber,
} from "millrace/engine";
import type { Workflows } from "millrace/runtime";
import { faultNames } from "./fault-schedule.js";
import type { Faults, Simulation } from "./simulation.types.js";

const simulated = ["workflows", "store", "clock", "log"];

const rate = valueRule(
  (value) => typeof value === "number" && value >= 0 && value <= 1_000,
  "a number from 0 to 1,000",
);
const faultRules = Object.fromEntries(faultNames.map((name) => [name, rate])) as Rules<Faults>;

const required: Rule = (value, option) => (typeof value === "function" ? [] : [`\`${option}\` is not a function`]);

const rules: Rules<Simulation> = {
  seed: (seed, option) => (Number.isSafeInteger(seed) ? [] : [`\`${option}\` is ${String(seed)}, not a whole number`]),
  workflows: required,
  call: required,
  callers: wholeNumber(0),
  processes: wholeNumber(1),
  faults: (faults, option) =>
    problemsIn(faults, option, (given) => optionProblems(given as Faults, faultRules, "faults.")),
  runtime: (runtime, option) =>
    problemsIn(runtime, option, (given) =>
      simulated.filter((name) => name in given).map((name) => `\`runtime.${name}\` is set by the simulation`),
    ),
  store: callable,
  check: callable,
  saveRun: callable,
  ...unchecked("time settle"),
};

/** Problems of an option that is an object. */
function problemsIn(
  given: unknown,
  option: string,
  problemsOf: (given: object) => readonly string[],
): readonly string[] {
  if (given === undefined || given === null) return [];
  const problems = object(given, option);
  return problems.length > 0 ? problems : problemsOf(given);
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every invalid option. */
export function checkSimulation<Flows extends Workflows>(simulation: Simulation<Flows>): void {
  checkOptions("The options of the simulation are wrong", simulation as unknown as Simulation, { rules });
}
