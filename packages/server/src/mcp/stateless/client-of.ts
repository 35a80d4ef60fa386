/** What the client of one request can do. Each request says so itself: there is no session that remembers it. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Fields, fieldsOf } from "../../http/guard-json.js";

/** Id of the extension by which calls become tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

export function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  return declaredIn({ ...mcpReq.envelope });
}

function declaredIn(envelope: Fields): ClientCapabilities {
  return fieldsOf(envelope[CLIENT_CAPABILITIES_META_KEY]) as ClientCapabilities;
}

export function takesTasks({ extensions }: ClientCapabilities): boolean {
  return Object.hasOwn(fieldsOf(extensions), tasksExtension);
}

export function tasksMissing(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

/**
 * Refuses a client that subscribes to tasks and has not declared them. Others get no notifications, and poll: the SDK
 * leaves tasks out of what it agrees to send.
 *
 * @throws {ProtocolError}
 */
export function assertMayListen(body: unknown): void {
  const { method, params } = fieldsOf(body);
  if (method !== "subscriptions/listen") return;
  const { notifications, _meta } = fieldsOf(params);
  if (Object.hasOwn(fieldsOf(notifications), "taskIds") && !takesTasks(declaredIn(fieldsOf(_meta))))
    throw tasksMissing();
}
