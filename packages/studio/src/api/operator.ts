/** The client of queues, workers and schedules. */
import { createOperator, type Operator } from "@millrace/client/operate";
import { options } from "./client.js";

export const operator: Operator = createOperator({ ...options, retry: false });
