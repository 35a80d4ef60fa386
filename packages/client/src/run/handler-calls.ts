/**
 * Requests about one run.
 *
 * @module
 */
import type { Receipt } from "millrace";
import {
  type AnswerBody,
  type AnsweredRecord,
  type CancelBody,
  type CancelParams,
  type EventBody,
  fromWire,
  type HandlerParams,
  type HandlerRecord,
  type PromptRecord,
  refusalCodes,
} from "millrace/wire";
import { hasCode } from "../client-error.js";
import { type Call, pathTo, readJson, type Transport } from "../http/transport.js";
import type { SomeEvent } from "../inferred.types.js";
import type { PendingPrompt, RunSummary } from "../run.types.js";
import { newId } from "../system.js";
import { assertFields, type ClassesByType, encodeEvent } from "../wire/event.js";
import { toPrompts, toSummary } from "../wire/handler-record.js";
import { encodeValue } from "../wire/value.js";

export interface Connection {
  readonly transport: Transport;
  readonly classes: ClassesByType;
}

type Signal = AbortSignal | undefined;

/** Sends a request whose response is a handler record. */
export function askForSummary({ transport, classes }: Connection, call: Call): Promise<RunSummary> {
  return transport.send(call, async (response, attempt) => {
    const record = (await readJson(response, attempt)) as HandlerRecord;
    return toSummary(record, { classes, request: attempt.request });
  });
}

interface Looking {
  readonly handlerId: string;
  /** Milliseconds that the server may wait for the end of the run. @default 0 */
  readonly waitMs?: number;
  readonly signal: Signal;
}

/** Where the server has too many waiting requests, it responds at once. */
export async function getSummary(
  connection: Connection,
  { handlerId, waitMs = 0, signal }: Looking,
): Promise<RunSummary> {
  const call: Call = { method: "GET", path: pathTo("/handlers/{id}", { id: handlerId }), signal };
  if (waitMs === 0) return askForSummary(connection, call);
  try {
    return await askForSummary(connection, {
      ...call,
      query: { wait: Math.floor(waitMs) } satisfies HandlerParams,
      finalCodes: [waitsExceeded],
    });
  } catch (error) {
    if (hasCode(error, waitsExceeded)) return askForSummary(connection, call);
    throw error;
  }
}

const waitsExceeded = "WAITS_EXCEEDED";

export async function getPrompts(
  { transport, classes }: Connection,
  handlerId: string,
  signal: Signal,
): Promise<PendingPrompt<SomeEvent>[]> {
  const call: Call = { method: "GET", path: pathTo("/handlers/{id}/prompts", { id: handlerId }), signal };
  const options = { classes, request: transport.requestFacts(call) };
  return transport.read<{ prompts: PromptRecord[] }, PendingPrompt<SomeEvent>[]>(call, "prompts", ({ prompts }) =>
    toPrompts(prompts, options),
  );
}

export interface Message {
  readonly key: string | undefined;
  readonly signal: Signal;
}

export async function postEvent(
  { transport }: Connection,
  to: { readonly handlerId: string; readonly step: string | undefined },
  { event, ...message }: Message & { readonly event: object },
): Promise<Receipt> {
  const body: EventBody = { event: { ...encodeEvent(event) }, step: to.step };
  return deliver(transport, { ...message, path: pathTo("/events/{id}", { id: to.handlerId }), body });
}

export async function postAnswer(
  { transport }: Connection,
  to: { readonly handlerId: string; readonly promptId: string },
  { fields, ...message }: Message & { readonly fields: object },
): Promise<Receipt> {
  assertFields(fields);
  const { json, meta } = encodeValue(fields);
  const path = pathTo("/handlers/{id}/prompts/{promptId}", { id: to.handlerId, promptId: to.promptId });
  const body: AnswerBody = { fields: json as NonNullable<AnswerBody["fields"]>, meta };
  return deliver(transport, { ...message, path, body });
}

async function deliver(
  transport: Transport,
  { path, body, key, signal }: Message & { readonly path: string; readonly body: unknown },
): Promise<Receipt> {
  const call: Call = { method: "POST", path, body, key: key ?? newId(), signal, finalCodes: refusalCodes };
  try {
    const { sequence } = await transport.json<{ status: string; sequence: number }>(call, "status");
    return { status: "accepted", sequence };
  } catch (error) {
    if (!hasCode(error, ...refusalCodes)) throw error;
    const { code, hint, details } = error;
    const { answered } = details as { readonly answered?: AnsweredRecord };
    return {
      status: "refused",
      code,
      hint,
      ...(answered !== undefined && { details: { answered: fromWire(answered) } }),
    };
  }
}

/** A run that has already ended counts as cancelled. */
export function postCancel(
  connection: Connection,
  handlerId: string,
  { reason, key, signal }: Message & { readonly reason: string | undefined },
): Promise<void> {
  const body: CancelBody = { reason };
  const path = pathTo("/handlers/{id}/cancel", { id: handlerId });
  const call: Call = { method: "POST", path, body, key: key ?? newId(), signal };
  return postOnce(connection, call, "RUN_FINISHED");
}

/** A run that does not exist counts as deleted. */
export function deleteRun(
  connection: Connection,
  handlerId: string,
  { signal }: { readonly signal?: Signal } = {},
): Promise<void> {
  const query: CancelParams = { purge: "true" };
  const path = pathTo("/handlers/{id}/cancel", { id: handlerId });
  const call: Call = { method: "POST", path, query, repeatable: true, signal };
  return postOnce(connection, call, "RUN_UNKNOWN");
}

/** @param done Code of a refusal which means that there was nothing to do. */
async function postOnce({ transport }: Connection, call: Call, done: string): Promise<void> {
  try {
    await transport.json<{ status: string }>(call, "status");
  } catch (error) {
    if (!hasCode(error, done)) throw error;
  }
}
