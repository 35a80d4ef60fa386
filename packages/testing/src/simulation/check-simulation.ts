import { WorkflowError } from "millrace";
import { type OptionNames, toMs, unknownOptions } from "millrace/engine";
import type { Workflows } from "millrace/runtime";
import type { Faults, Simulation } from "./simulation.types.js";
import { faultNames } from "./strikes.js";

const known: OptionNames<Simulation> = {
  seed: true,
  workflows: true,
  call: true,
  callers: true,
  processes: true,
  time: true,
  settle: true,
  faults: true,
  store: true,
  runtime: true,
  check: true,
};
const simulated = ["workflows", "store", "clock", "log"];

/** @throws {WorkflowError} `OPTION_INVALID` naming every option that is wrong, `DURATION_INVALID`. */
export function checkSimulation<Flows extends Workflows>(simulation: Simulation<Flows>): void {
  const { seed, callers, processes, faults = {}, runtime = {}, time = "1d", settle = "2h" } = simulation;
  const problems = [
    ...unknownOptions(simulation, known as OptionNames<Simulation<Flows>>),
    ...(Number.isSafeInteger(seed) ? [] : [`\`seed\` is ${String(seed)}, not a whole number`]),
    ...functionProblem("workflows", simulation.workflows),
    ...functionProblem("call", simulation.call),
    ...countProblem("callers", callers, 0),
    ...countProblem("processes", processes, 1),
    ...unknownOptions(faults, Object.fromEntries(faultNames.map((name) => [name, true])) as OptionNames<Faults>),
    ...Object.entries(faults).flatMap(([name, rate]) => rateProblem(`faults.${name}`, rate)),
    ...simulated.filter((name) => name in runtime).map((name) => `\`runtime.${name}\` is set by the simulation`),
  ];
  if (problems.length === 0) return void [toMs(time, "time"), toMs(settle, "settle")];
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `The options of the simulation are wrong: ${problems.join("; ")}.`,
    hint: "Correct or remove what is named.",
    details: { problems },
  });
}

function functionProblem(name: string, value: unknown): string[] {
  return typeof value === "function" ? [] : [`\`${name}\` is not a function`];
}

function countProblem(name: string, value: number | undefined, from: number): string[] {
  if (value === undefined || (Number.isSafeInteger(value) && value >= from)) return [];
  return [`\`${name}\` is ${String(value)}, not a whole number from ${from}`];
}

function rateProblem(name: string, rate: unknown): string[] {
  if (typeof rate === "number" && rate >= 0 && rate <= 1_000) return [];
  return [`\`${name}\` is ${String(rate)}, not a number from 0 to 1,000`];
}
