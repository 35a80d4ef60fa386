/** Tool calls, for every version of the protocol. */
import { readOnlyError } from "../guard/read-only.js";
import type { NeededRight } from "../guard/rights.js";
import { refusalError } from "../http/answer-error.js";
import { guardJson, isObject } from "../http/guard-json.js";
import { bodyInvalid, HttpError, runUnknown } from "../http/http-error.js";
import { defaultLimits } from "../options.js";
import { settled } from "../runs/run-wait.js";
import { handlerRecord } from "../wire/handler-record.js";
import type { Offer, Running, ToolCall, ToolResult } from "./mcp-scope.types.js";
import { isLookup, isOwnTool, type OwnTool } from "./own-tools.js";
import { failed, recordOf, resultOf } from "./results.js";
import { listOffered, waitMsOf } from "./runs.js";

type CallOf = (offer: Offer, call: ToolCall) => Promise<ToolResult>;

export function isOffered(offer: Offer, tool: string): boolean {
  return isOwnTool(tool) || Object.hasOwn(offer.tools, tool);
}

/** @param work What an offered tool does. @default what its name says */
export async function callTool(offer: Offer, call: ToolCall, work: CallOf = workOf(call.tool)): Promise<ToolResult> {
  const { tool, given } = call;
  try {
    guardJson(given, defaultLimits.bodyDepth);
    if (offer.readOnly && !isLookup(tool)) throw readOnlyError();
    return await work(offer, call);
  } catch (error) {
    return failed(offer, { error, tool, record: null });
  }
}

function workOf(tool: string): CallOf {
  return isOwnTool(tool) ? own[tool] : startRun;
}

const own: Readonly<Record<OwnTool, CallOf>> = {
  answer_prompt: answerPrompt,
  list_runs: async (offer, { given }) => resultOf(await listOffered(offer, given)),
  get_run: async (offer, { given, signal }) => {
    const { handle } = await findRun(offer, given["handler_id"], "read");
    const waitMs = Math.min(waitMsOf(given), offer.waitMs);
    if (waitMs > 0) await settled(handle, waitMs, signal);
    return resultOf(await handlerRecord(handle, offer.catalog));
  },
};

async function startRun(offer: Offer, call: ToolCall): Promise<ToolResult> {
  const { tool, given } = call;
  const { runtime, tenant, catalog, sender } = offer;
  sender.assertMay("start", tool);
  sender.spendStart();
  const handle = runtime.run(tool, given, { tenant, by: sender.by });
  return drive(offer, { handle, facts: catalog.getStartable(tool), by: sender.by }, call);
}

/** Waits for the run of this call. A cancelled call cancels its run, even one whose start is still being stored. */
export async function drive(offer: Offer, running: Running, call: ToolCall): Promise<ToolResult> {
  const { handle, by } = running;
  const { signal } = call;
  const cancel = (): void =>
    void handle.accepted
      .then(() => handle.cancel("the client has called off the call", { by }))
      .catch((error: unknown) => offer.log.error(`Run "${handle.runId}" was called off and is not cancelled.`, error));
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  try {
    await handle.accepted;
    return await finishedOrFailed(offer, running, call);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

async function answerPrompt(offer: Offer, call: ToolCall): Promise<ToolResult> {
  const running = await findRun(offer, call.given["handler_id"], "answer");
  try {
    const { prompt_id: promptId, fields } = call.given;
    if (offer.answers() === "person") {
      if (fields !== undefined) throw answerOfPerson();
      return finishedOrFailed(offer, running, call);
    }
    if (typeof promptId !== "string") throw bodyInvalid("`prompt_id` is not a string.");
    if (!isObject(fields)) throw bodyInvalid("`fields` is not an object.");
    const receipt = await running.handle.answer(promptId, fields, { by: running.by });
    if (receipt.status === "refused") throw refusalError(receipt);
  } catch (error) {
    return failed(offer, { error, tool: call.tool, record: await recordOf(offer, running) });
  }
  return finishedOrFailed(offer, running, call);
}

function answerOfPerson(): HttpError {
  return new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: "Only the person may answer this prompt.",
    hint: "Leave out `fields`: the person is then asked again, unless they have declined.",
  });
}

/** @throws {HttpError} `RUN_UNKNOWN`, also for runs of workflows that are not offered as tools. */
export async function findRun(offer: Offer, id: unknown, right: NeededRight): Promise<Running> {
  if (typeof id !== "string") throw bodyInvalid("`handler_id` is not a string.");
  const handle = offer.runtime.handle(id, { tenant: offer.tenant });
  const { workflow } = await handle.summary();
  if (!Object.hasOwn(offer.tools, workflow)) throw runUnknown(handle.runId);
  offer.sender.assertMay(right, workflow);
  return { handle, facts: offer.catalog.get(workflow), by: offer.sender.by };
}

export async function finishedOrFailed(offer: Offer, running: Running, call: ToolCall): Promise<ToolResult> {
  try {
    return await offer.finish(running, call);
  } catch (error) {
    return failed(offer, { error, tool: call.tool, record: await recordOf(offer, running) });
  }
}
