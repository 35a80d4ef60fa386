import { chatHandler } from "@millrace/ai-sdk";
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { support } from "../../../../agent";

/** Called with the first request, so that `next build`, which imports this file, opens no store. */
async function openRuntime() {
  const { DATABASE = "chats.db" } = process.env;
  const runtime = createRuntime({ workflows: { support: support.workflow }, store: sqliteStore(DATABASE) });
  await runtime.start(); // continues the answers that a crash interrupted
  return runtime;
}

// Everybody may do everything: `auth` says who may, as soon as others than you reach this server.
export const { GET, POST, DELETE } = chatHandler(openRuntime, { agent: "support" });
