/** Starts a program and a script, which it stops, prints the process id of the script, and stays. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endsWithUs, ScriptProcess } from "../../src/processes/index.js";

const [folder, script] = process.argv.slice(2) as [string, string];
const file = join(folder, "pid");
const stay = `require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1_000)`;
endsWithUs(spawn(process.execPath, ["-e", stay], { stdio: "ignore" }), { signal: "SIGTERM", folder });
const { pid } = new ScriptProcess(script, []);
while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(5);
process.kill(pid, "SIGSTOP");
writeSync(1, `${pid}\n`);
setInterval(() => {}, 1_000);
