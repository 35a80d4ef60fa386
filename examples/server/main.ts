// A client that reads one stream while the server is killed, starts again, and is told the answer.
// `pnpm --filter ./examples server`
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@millrace/client";
import type { workflows } from "./workflow.js"; // only its types: none of its code is here

const folder = mkdtempSync(join(tmpdir(), "refunds-"));
const program = fileURLToPath(new URL("serve.ts", import.meta.url));

async function startServer(port: number) {
  const args = ["--import", import.meta.resolve("tsx"), program, join(folder, "runs.db"), String(port)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await once(child.stdout, "data");
  return { child, port: Number(printed) };
}

async function kill(child: ChildProcess) {
  child.kill("SIGKILL");
  await once(child, "exit");
}

let server = await startServer(Number(process.argv[2] ?? 0)); // 0: any port that is free
try {
  const client = createClient<typeof workflows>({ baseUrl: `http://127.0.0.1:${server.port}` });
  const run = client.run("refund", { order: "A-17", euros: 80 });

  for await (const { sequence, event, promptId } of run.stream()) {
    console.log(sequence, event.type);
    if (promptId === null) continue;
    await kill(server.child);
    server = await startServer(server.port);
    console.log("the server was killed and is back");
    await run.answer(promptId, { approved: true });
  }
  console.log(await run);
} finally {
  await kill(server.child);
  rmSync(folder, { recursive: true });
}
