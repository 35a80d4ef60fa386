/**
 * `@millrace/client/operate`: a client for those who look after queues, workers and schedules. It is a file of its own, so that apps
 * do not load it.
 *
 * @module
 */
export { createOperator } from "./operate/create-operator.js";
export type { Operator, ScheduleEdit } from "./operate/operator.types.js";
export type { QueueLimitsShown, QueuePosition, QueueState, WorkerState } from "millrace/runtime";
