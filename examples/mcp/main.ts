// Workflows as tools over MCP, and an agent that calls them. Both are killed while a person is asked.
//
//     pnpm --filter ./examples mcp
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "mcp-"));
const [shop, log, clerk] = ["shop.db", "shop.log", "clerk.db"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];

function start(program: string, args: readonly string[]): ChildProcess {
  const execArgv = ["--import", import.meta.resolve("tsx")];
  return fork(join(import.meta.dirname, program), args, { execArgv, stdio: ["ignore", "pipe", "inherit", "ipc"] });
}

async function startShop(port: number) {
  const process = start("serve.ts", [shop, String(port), log]);
  const [printed] = (await once(process.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { process, port: Number(printed) };
}

const startClerk = (port: number) => start("clerk.ts", [clerk, `http://127.0.0.1:${port}/mcp`]);

async function kill(child: ChildProcess) {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

interface Told {
  readonly promptId?: string;
  readonly question?: { readonly toolName: string; readonly input: unknown };
  readonly content?: string;
}

const told = async (child: ChildProcess): Promise<Told> => ((await once(child, "message")) as [Told])[0];

let server = await startShop(Number(process.argv[2] ?? 0)); // 0: any port that is free
let agent = startClerk(server.port);
const { question } = await told(agent);
console.log(`May the agent call ${question?.toolName} ${JSON.stringify(question?.input)}?`);

await Promise.all([kill(agent), kill(server.process)]);
console.log("the agent and the server were killed and are back");
server = await startShop(server.port);
agent = startClerk(server.port);

agent.send((await told(agent)).promptId ?? ""); // still asked
console.log((await told(agent)).content);
console.log(readFileSync(log, "utf8").trim());
await kill(server.process);
rmSync(folder, { recursive: true });
