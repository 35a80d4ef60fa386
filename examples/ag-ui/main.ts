// A workflow over AG-UI, with the client of the protocol. The server is killed while the person is asked.
//
//     pnpm --filter ./examples ag-ui
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpAgent } from "@ag-ui/client";

const folder = mkdtempSync(join(tmpdir(), "ag-ui-"));

async function startServer(port: number) {
  const execArgv = ["--import", import.meta.resolve("tsx")];
  const args = [join(folder, "trips.db"), String(port)];
  const process = fork(join(import.meta.dirname, "serve.ts"), args, {
    execArgv,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [printed] = (await once(process.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { process, port: Number(printed) };
}

async function kill(child: ChildProcess) {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** As a page does: `agent` keeps messages, state and what is asked. An activity comes alone, or among all messages. */
function showActivities({ messages }: HttpAgent) {
  for (const message of messages)
    if (message.role === "activity") console.log(`${message.activityType}:`, message.content);
}

let server = await startServer(Number(process.argv[2] ?? 0)); // 0: any port that is free
const threadId = "holidays";
const url = `http://127.0.0.1:${server.port}/agui/trip`;

const page = new HttpAgent({ url, threadId });
page.addMessage({ id: "m1", role: "user", content: "Oslo" });
await page.runAgent();
showActivities(page);
console.log("state:", page.state);

await kill(server.process);
server = await startServer(server.port);
console.log("the server was killed and is back, and the page was loaded again");

const again = new HttpAgent({ url, threadId });
await again.runAgent(); // nothing new: all that there is of the thread
showActivities(again);
const [interrupt] = again.pendingInterrupts;
console.log(`asked: ${interrupt?.message}`);

const resume = [{ interruptId: interrupt?.id ?? "", status: "resolved" as const, payload: { approved: true } }];
await again.runAgent({ resume });
for (const { role, content } of again.messages) if (role !== "activity") console.log(`${role}: ${content}`);

await kill(server.process);
rmSync(folder, { recursive: true });
