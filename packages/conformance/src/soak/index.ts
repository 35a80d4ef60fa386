/**
 * A soak for stores that several processes share: runs of every kind in processes that are killed and stopped again and again.
 *
 * @module
 */
export type { RunRow } from "./check-rows.js";
export { type SoakOptions, type SoakReport, type SoakSubject, soak } from "./kills.js";
export { Mortality, notedStore } from "./noted-store.js";
export { type NoteKinds, Notes } from "./notes.js";
export { itemsOfRun, type Outside } from "./order.js";
export type { OtherKind } from "./other-kind.types.js";
export { Random } from "./random.js";
export { tableOf } from "./report.js";
export { runWorkload, workloadOptions } from "./workload.js";
