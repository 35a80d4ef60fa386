/** The JSON-RPC binding. Methods, params and results are those of the SDK; here are the response and its errors. */
import { A2A_ERROR_DOMAIN, ERROR_INFO_TYPE, toJsonRpcError } from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, validateVersion } from "@a2a-js/sdk/server";
import { cleanJson, wrongMethod } from "@millrace/server/door";
import { malformed, protocolError } from "../wire/errors.js";
import { type Fields, isFields } from "../wire/parts.js";
import type { BindingCall } from "./binding.types.js";
import { sseResponse } from "./sse.js";

type RpcResponse = Awaited<ReturnType<JsonRpcTransportHandler["handle"]>>;
type RpcStream = Extract<RpcResponse, AsyncGenerator>;
type RpcError = ReturnType<typeof toJsonRpcError>;

export async function answerJsonRpc(call: BindingCall): Promise<Response> {
  const { caller, requests, context, card, log, left } = call;
  if (call.request.method !== "POST") throw wrongMethod(["POST"]);
  let id: unknown = null;
  const envelope = (error: unknown): object => ({
    jsonrpc: "2.0",
    id,
    error: errorOf(protocolError(error, log).error),
  });
  try {
    const body = await caller.readBody();
    id = idOf(body);
    validateVersion(context.requestedVersion, card, "JSONRPC");
    const result = await new JsonRpcTransportHandler(requests).handle(body as Fields, context);
    if (!isStream(result)) return respond(explained(result));
    return await sseResponse(result, { json: (item) => item, error: envelope, left });
  } catch (error) {
    const { status } = protocolError(error, log);
    // A client reads the envelope; the status is for what is in front of the door.
    return respond(envelope(error), status === 413 || status === 408 || status >= 429 ? status : 200);
  }
}

function isStream(result: RpcResponse): result is RpcStream {
  return Symbol.asyncIterator in result;
}

/** Only one that a response may have. */
function idOf(body: unknown): unknown {
  const id = isFields(body) ? body["id"] : null;
  return typeof id === "string" || Number.isInteger(id) ? id : null;
}

function explained(result: Exclude<RpcResponse, RpcStream>): object {
  const { error } = result as { readonly error?: RpcError };
  return error === undefined ? result : { ...result, error: withInfo(error) };
}

const internalError = -32603;

/** Errors that the SDK makes itself get our code, too. */
function withInfo(error: RpcError): RpcError {
  const [info] = error.data ?? [];
  if (info !== undefined) {
    const metadata = Object(info["metadata"]) as Fields;
    return { ...error, data: [{ ...info, metadata: { code: info["reason"], ...metadata } }] };
  }
  // Ours have an info, so this one was thrown while the SDK read the params.
  if (error.code === internalError) return errorOf(paramsInvalid());
  const reason = "METHOD_NOT_FOUND";
  return {
    ...error,
    data: [{ "@type": ERROR_INFO_TYPE, reason, domain: A2A_ERROR_DOMAIN, metadata: { code: reason } }],
  };
}

function errorOf(error: unknown): RpcError {
  return toJsonRpcError(error);
}

function paramsInvalid(): Error {
  const error = malformed("The params cannot be read.", "Compare them with the messages of A2A 1.0.");
  return protocolError(error, { info: () => {}, error: () => {} }).error;
}

function respond(envelope: object, status = 200): Response {
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  return new Response(cleanJson(envelope), { status, headers });
}
