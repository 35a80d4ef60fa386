/**
 * The public surface of `@millrace/testing`.
 *
 * @module
 */
export { virtualClock } from "./harness/virtual-clock.js";
export type { VirtualClock } from "./harness/virtual-clock.js";
export { seededScheduler } from "./harness/seeded-scheduler.js";
export type { SeededScheduler } from "./harness/seeded-scheduler.js";
export type { Answer, Answers, OutsideOptions } from "./harness/responder.js";
export { runToEnd } from "./harness/run-to-end.js";
export type { EndedRun, InputArguments, RunToEndOptions } from "./harness/run-to-end.js";
export type { Ended } from "./harness/drive.js";
export { proveResumable } from "./proof/prove-resumable.js";
export type { Proof, Provable, ProveOptions } from "./proof/prove-resumable.js";
export type { Ending } from "./proof/ending.js";
export type { World } from "./proof/crash-run.js";
export { exploreRuns } from "./explore/explore-runs.js";
export type { Exploration, ExploreOptions } from "./explore/explore-runs.js";
export type { Finding } from "./explore/findings.js";
export { proveDurable } from "./proof/prove-durable.js";
export type { Durable, DurableOptions, DurableProof, DurableWorld } from "./proof/prove-durable.js";
export { recordingOf, recordRun } from "./replay/recording-of-run.js";
export type { RecordOptions, SavedRun } from "./replay/recording-of-run.js";
export type { RecordedTick, RunRecording, SaveRun } from "./harness/run-recording.types.js";
export { replayRun } from "./replay/replay-run.js";
export type { Replay, ReplayOptions } from "./replay/replay-run.js";
export type { ReplayedCall } from "./replay/recorded-world.js";
export type { Difference } from "./replay/differences.js";
export { whatIf } from "./what-if/what-if.js";
export type { RecordedRuns } from "./what-if/stored-runs.js";
export type {
  DecidedRun,
  Decision,
  JudgedAnswer,
  SkippedRun,
  StoredRuns,
  UnknownCall,
  Used,
  WhatIfOptions,
  WhatIfReport,
  WhatIfRun,
} from "./what-if/what-if.types.js";
export { runStep } from "./step/run-step.js";
export type { RunStepOptions, StepRun } from "./step/run-step.js";
export type { StateBefore, StepEvents, StepNameOf, StepPayload } from "./step/step-names.types.js";
export { testRuntime } from "./harness/test-runtime.js";
export type { TestRuntime, TestRuntimeOptions } from "./harness/test-runtime.js";
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
export type { Random } from "./harness/random.js";
