import type { HandlerRecord } from "millrace/wire";
import { cleanJson } from "../../http/clean-text.js";
import { isObject } from "../../http/guard-json.js";
import type { ToolResult } from "../mcp-scope.types.js";
import { resultOf } from "../results.js";

/** The result of a call: that of its run, or the record of a run that has not completed. */
export function endResult(record: HandlerRecord): ToolResult {
  if (record.status !== "completed") return { ...resultOf(record), isError: record.status === "failed" };
  const { value } = record.result ?? {};
  const text = cleanJson(value);
  return { content: [{ type: "text", text: textOf(value) ?? text }], structuredContent: JSON.parse(text) };
}

/** The text of a plain result that is nothing but a text. */
function textOf(value: unknown): string | null {
  if (!isObject(value) || Object.keys(value).length !== 1) return null;
  return typeof value["result"] === "string" ? value["result"] : null;
}
