/**
 * The public surface of `@millrace/testing`.
 *
 * @module
 */
export { virtualClock } from "./life/virtual-clock.js";
export type { VirtualClock } from "./life/virtual-clock.js";
export { seededScheduler } from "./life/seeded-scheduler.js";
export type { SeededScheduler } from "./life/seeded-scheduler.js";
export type { Answer, Answers, OutsideOptions } from "./life/responder.js";
export { runToEnd } from "./life/run-to-end.js";
export type { EndedRun, InputArguments, RunToEndOptions } from "./life/run-to-end.js";
export type { Ended } from "./life/drive.js";
export { proveResumable } from "./proof/prove-resumable.js";
export type { Proof, Provable, ProveOptions } from "./proof/prove-resumable.js";
export type { Ending } from "./proof/ending.js";
export type { World } from "./proof/trial.js";
export { proveDurable } from "./proof/prove-durable.js";
export type { Durable, DurableOptions, DurableProof, DurableWorld } from "./proof/prove-durable.js";
export { runStep } from "./step/run-step.js";
export type { RunStepOptions, StepRun } from "./step/run-step.js";
export type { StateBefore, StepEvents, StepNameOf, StepPayload } from "./step/step-names.types.js";
export { testRuntime } from "./life/test-runtime.js";
export type { TestRuntime, TestRuntimeOptions } from "./life/test-runtime.js";
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
export type { Random } from "./life/random.js";
