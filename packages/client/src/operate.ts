/**
 * `@millrace/client/operate`: a client for those who look after queues, budgets, workers and schedules. It is a file of its own, so that apps
 * do not load it.
 *
 * @module
 */
export { createOperator } from "./operate/create-operator.js";
export type { DayOptions, Operator, RunTest, RunTestOptions, ScheduleEdit } from "./operate/operator.types.js";
export type {
  Amounts,
  BudgetReport,
  DaySpending,
  QueueLimitsShown,
  QueuePosition,
  QueueState,
  TenantSpending,
  WorkerState,
} from "millrace/runtime";
