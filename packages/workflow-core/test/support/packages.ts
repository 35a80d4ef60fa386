/** The original and this package, as the same set of functions. */
import * as original from "@llamaindex/workflow-core";
import * as originalAsync from "@llamaindex/workflow-core/async-context";
import * as originalHono from "@llamaindex/workflow-core/hono";
import * as originalMcp from "@llamaindex/workflow-core/mcp";
import * as originalState from "@llamaindex/workflow-core/middleware/state";
import * as originalTrace from "@llamaindex/workflow-core/middleware/trace-events";
import * as originalValidation from "@llamaindex/workflow-core/middleware/validation";
import * as originalNext from "@llamaindex/workflow-core/next";
import * as originalObservable from "@llamaindex/workflow-core/observable";
import * as originalConsumer from "@llamaindex/workflow-core/stream/consumer";
import * as originalFilter from "@llamaindex/workflow-core/stream/filter";
import * as originalFind from "@llamaindex/workflow-core/stream/find";
import * as originalRun from "@llamaindex/workflow-core/stream/run";
import * as originalUntil from "@llamaindex/workflow-core/stream/until";
import * as originalRetry from "@llamaindex/workflow-core/util/p-retry";
import * as originalZod from "@llamaindex/workflow-core/util/zod";
import * as ownAsync from "../../src/entries/async-context.js";
import * as ownHono from "../../src/entries/hono.js";
import * as ownMcp from "../../src/entries/mcp.js";
import * as ownNext from "../../src/entries/next.js";
import * as ownObservable from "../../src/entries/observable.js";
import * as ownRetry from "../../src/entries/p-retry.js";
import * as ownState from "../../src/entries/state.js";
import * as ownConsumer from "../../src/entries/stream-consumer.js";
import * as ownFilter from "../../src/entries/stream-filter.js";
import * as ownFind from "../../src/entries/stream-find.js";
import * as ownRun from "../../src/entries/stream-run.js";
import * as ownUntil from "../../src/entries/stream-until.js";
import * as ownTrace from "../../src/entries/trace-events.js";
import * as ownValidation from "../../src/entries/validation.js";
import * as ownZod from "../../src/entries/zod.js";
import * as own from "../../src/index.js";

export const here = {
  ...own,
  ...ownAsync,
  ...ownHono,
  ...ownNext,
  ...ownMcp,
  ...ownRetry,
  ...ownObservable,
  ...ownState,
  ...ownConsumer,
  filterStream: ownFilter.filter,
  ...ownFind,
  ...ownRun,
  untilStream: ownUntil.until,
  ...ownTrace,
  ...ownValidation,
  ...ownZod,
};

export type Api = typeof here;

export const there = {
  ...original,
  ...originalAsync,
  ...originalHono,
  ...originalNext,
  ...originalMcp,
  ...originalRetry,
  ...originalObservable,
  ...originalState,
  ...originalConsumer,
  filterStream: originalFilter.filter,
  ...originalFind,
  ...originalRun,
  untilStream: originalUntil.until,
  ...originalTrace,
  ...originalValidation,
  ...originalZod,
} as unknown as Api;
