/** The pages of operators, in one file: they share much, and compress better together. */
export { BudgetsPage } from "./budgets-page.js";
export { QueuesPage } from "./queues-page.js";
export { SchedulesPage } from "./schedules-page.js";
export { WorkersPage } from "./workers-page.js";
