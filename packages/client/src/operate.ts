/**
 * `@millrace/client/operate`: a client for those who look after queues, workers and schedules. It is a file of its own, so that apps
 * do not load it.
 *
 * @module
 */
export { createOperator } from "./operate/create-operator.js";
export type {
  Operator,
  Queue,
  QueueLimits,
  QueueLine,
  QueuePosition,
  ScheduleEdit,
  Worker,
} from "./operate/operator.types.js";
