/** Asks a server, kills it, starts it again, answers, and ends it: `node try.mjs NAME COMMAND …`, in the folder of the server. */
import { spawn } from "node:child_process";
import { once } from "node:events";

const [name, command, ...args] = process.argv.slice(2);
const url = `http://127.0.0.1:${process.env.PORT}/flows`;
const headers = { "content-type": "application/json" };
let server;
process.on("exit", () => server?.kill("SIGKILL"));
setTimeout(() => process.exit(1), 60_000).unref();

async function start() {
  server = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(server, "exit").then(([code]) => code ?? "killed");
  while (!(await isUp())) {
    const code = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 50))]);
    if (code !== undefined) throw new Error(`error: the server has ended: ${code}`);
  }
}

async function isUp() {
  const health = await fetch(`${url}/health`).catch(() => null);
  return health?.ok === true;
}

async function end(signal) {
  server.kill(signal);
  if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  if (await isUp()) throw new Error(`error: a process outlives ${signal}`);
}

async function post(path, body) {
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`error ${response.status}: ${await response.text()}`);
  return response.json();
}

await start();
const { handler_id: id, prompts } = await post("/workflows/greet/run", { start_event: { name: "Ada" } });
await end("SIGKILL");
await start();
const stream = await fetch(`${url}/events/${id}`);
await post(`/handlers/${id}/prompts/${prompts[0].prompt_id}`, { fields: { word: "Ahoy" } });
const [greeting] = /Ahoy, \w+!/.exec(await stream.text());
await end("SIGTERM");
console.log(`${name}: ${greeting}`);
