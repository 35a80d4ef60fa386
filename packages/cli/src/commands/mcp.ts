import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createAssistantServer } from "../mcp/assistant-server.js";
import type { Terminal } from "../output/terminal.js";

/** Serves the tools of a coding assistant on standard input and output, until the input ends. */
export async function mcp(terminal: Terminal): Promise<number> {
  const serving = serveStdio(() => createAssistantServer(terminal.cwd), {
    onerror: ({ message }) => terminal.note(message),
  });
  await once(process.stdin, "close");
  await serving.close();
  return 0;
}
