import {
  checkOptions,
  optionProblems,
  type Rule,
  type Rules,
  unchecked,
  valueRule,
  wholeNumber,
} from "millrace/engine";
import type { Workflows } from "millrace/runtime";
import type { Faults, Simulation } from "./simulation.types.js";
import { faultNames } from "./strikes.js";

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
  faults: (faults = {}) => optionProblems(faults as Faults, faultRules, "faults."),
  runtime: (runtime = {}) =>
    simulated
      .filter((name) => name in (runtime as object))
      .map((name) => `\`runtime.${name}\` is set by the simulation`),
  ...unchecked("time settle store check"),
};

/** @throws {WorkflowError} `OPTION_INVALID` naming every option that is wrong. */
export function checkSimulation<Flows extends Workflows>(simulation: Simulation<Flows>): void {
  checkOptions("The options of the simulation are wrong", simulation as unknown as Simulation, { rules });
}
