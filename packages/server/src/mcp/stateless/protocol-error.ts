/** Errors in the form of the protocol: a number of JSON-RPC, with the code of the error in its data. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Log } from "millrace";
import { answerError } from "../../http/answer-error.js";
import { fieldsOf } from "../../http/guard-json.js";

export async function protocolError(error: unknown, method: string, log: Log): Promise<ProtocolError> {
  if (error instanceof ProtocolError) return error;
  const { status, message, data } = await said(error, method, log);
  const { InternalError, InvalidParams, InvalidRequest } = ProtocolErrorCode;
  return new ProtocolError(
    status >= 500 ? InternalError : status === 403 ? InvalidRequest : InvalidParams,
    message,
    data,
  );
}

export interface Refused {
  /** Undefined where it could not be read. */
  readonly body: unknown;
  readonly log: Log;
}

/** The response for a request that no server of the SDK has seen: its body is not readable, or not wanted. */
export async function refusedRequest(error: unknown, { body, log }: Refused): Promise<Response> {
  const { id: given } = fieldsOf(body);
  const id = typeof given === "string" || typeof given === "number" ? given : null;
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status: 400 });
  }
  const { status, headers, message, data } = await said(error, "request", log);
  const { InternalError, InvalidRequest, ParseError } = ProtocolErrorCode;
  const code = status >= 500 ? InternalError : data.code === "BODY_INVALID" ? ParseError : InvalidRequest;
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status, headers });
}

interface ErrorData {
  readonly code: string;
}

async function said(error: unknown, method: string, log: Log) {
  const response = answerError(error, { method: "POST", path: `MCP ${method}` }, log);
  const { detail, ...data } = (await response.json()) as ErrorData & { readonly detail: string };
  return { status: response.status, headers: response.headers, message: detail, data: data as ErrorData };
}
