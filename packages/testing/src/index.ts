/**
 * The public surface of `@millrace/testing`.
 *
 * @module
 */
export { virtualClock } from "./virtual-clock.js";
export type { VirtualClock } from "./virtual-clock.js";
export { seededScheduler } from "./seeded-scheduler.js";
export type { SeededScheduler } from "./seeded-scheduler.js";
export type { Answer, Answers, OutsideOptions } from "./responder.js";
export { runToEnd } from "./run-to-end.js";
export type { EndedRun, InputArguments, RunToEndOptions } from "./run-to-end.js";
export type { Ended } from "./drive.js";
export { proveResumable } from "./prove-resumable.js";
export type { Proof, Provable, ProveOptions } from "./prove-resumable.js";
export type { Ending } from "./ending.js";
export type { World } from "./trial.js";
export { proveDurable } from "./prove-durable.js";
export type { Durable, DurableOptions, DurableProof, DurableWorld } from "./prove-durable.js";
export { runStep } from "./run-step.js";
export type { RunStepOptions, StepRun } from "./run-step.js";
export type { StateBefore, StepEvents, StepNameOf, StepPayload } from "./step-names.types.js";
export { testRuntime } from "./test-runtime.js";
export type { TestRuntime, TestRuntimeOptions } from "./test-runtime.js";
export { simulate } from "./simulation/simulate.js";
export type {
  Caller,
  ClusterView,
  Faults,
  SimulatedProcess,
  SimulatedRun,
  SimulatedRuntimeOptions,
  Simulation,
  SimulationReport,
  StartedRun,
} from "./simulation/simulation.types.js";
export type { Random } from "./random.js";
