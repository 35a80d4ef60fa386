/** What the client of one request can do. Each request says so itself: there is no session that remembers it. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** Id of the extension by which calls become tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

export function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
}

export function takesTasks({ extensions }: ClientCapabilities): boolean {
  return extensions !== undefined && Object.hasOwn(extensions, tasksExtension);
}
