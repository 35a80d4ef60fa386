import { messageOf } from "@millrace/executor";
import type { TextStreamPart, ToolSet } from "ai";
import type { AgentPart } from "millrace/wire";
import type { StreamPart } from "./unique-ids.js";

/**
 * What readers see of a part: of the stream of the AI SDK, or of that of a model, whose texts and files have other
 * fields. Most kinds of parts are nothing to them, nor are the files of a model as it streams them.
 */
export function agentParts(part: TextStreamPart<ToolSet> | StreamPart): readonly AgentPart[] {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta": {
      const text = "text" in part ? part.text : part.delta;
      return text === "" ? [] : [{ type: part.type === "text-delta" ? "text" : "reasoning", id: part.id, text }];
    }
    case "tool-input-start": {
      const { id: toolCallId, toolName, providerExecuted } = part;
      return providerExecuted === true ? [] : [{ type: "tool-begin", toolCallId, toolName }];
    }
    case "tool-input-delta":
      return part.delta === "" ? [] : [{ type: "tool-input", toolCallId: part.id, text: part.delta }];
    case "tool-call": {
      const { toolCallId, toolName, input, providerExecuted } = part;
      const by = providerExecuted === true ? { providerExecuted } : {};
      return [{ type: "tool-call", toolCallId, toolName, input: input ?? null, ...by }];
    }
    // Results of other tools are shown by their calls.
    case "tool-result":
      if (!("output" in part) || part.providerExecuted !== true) return [];
      return [{ type: "tool-result", toolCallId: part.toolCallId, output: part.output ?? null }];
    case "tool-error":
      if (part.providerExecuted !== true) return [];
      return [{ type: "tool-error", toolCallId: part.toolCallId, error: messageOf(part.error) }];
    case "source": {
      if (part.sourceType !== "url") return [];
      const { id, url, title } = part;
      return [{ type: "source", id, url, ...(title !== undefined && { title }) }];
    }
    case "file":
      return "file" in part ? [{ type: "file", mediaType: part.file.mediaType, base64: part.file.base64 }] : [];
    default:
      return [];
  }
}
