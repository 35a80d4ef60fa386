/** The image of `examples/container` without Docker: its instructions, in an empty folder. A run waits while one container replaces another. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const folder = join(matrix, "..", "examples", "container");

export function containerRows() {
  const dockerfile = readFileSync(join(folder, "Dockerfile"), "utf8");
  const { dependencies, ...project } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [, install] = /^RUN (npm install .*)$/m.exec(dockerfile);
  const health = commandOf(dockerfile, /^HEALTHCHECK .*? CMD (\[.*\])$/m);
  const serve = commandOf(dockerfile, /^CMD (\[.*\])$/m);
  const begin = [`${serve} &`, "pid=$!", `until ${health}; do sleep 0.2; done`];
  const end = ["kill -TERM $pid", "wait $pid"];
  const call = `curl -sf -H 'authorization: Bearer secret' -H 'content-type: application/json'`;
  const at = "http://127.0.0.1:$PORT";
  const commands = [
    `${install} ${Object.keys(dependencies).join(" ").replace("zod", "zod@4")}`,
    "export PORT=3000 MILLRACE_TOKEN=secret NODE_ENV=production",
    ...begin,
    `curl -s -o /dev/null -w 'without a token: %{http_code}\\n' ${at}/handlers # without a token: 401`,
    `curl -s -o /dev/null -w 'the studio: %{http_code}\\n' ${at}/studio/ # the studio: 200`,
    `${call} -d '{"handler_id":"A-17","start_event":{"order":"A-17","euros":80}}' ${at}/workflows/refund/run-nowait > started.json`,
    `until ${call} ${at}/handlers/A-17/prompts | grep -q prompt_id; do sleep 0.2; done`,
    ...end,
    'echo "SIGTERM: $?" # SIGTERM: 0',
    ...begin,
    `prompt=$(${call} ${at}/handlers/A-17/prompts | node -p 'encodeURIComponent(JSON.parse(fs.readFileSync(0)).prompts[0].prompt_id)')`,
    `${call} -d '{"fields":{"approved":true}}' ${at}/handlers/A-17/prompts/$prompt > answered.json`,
    `${call} "${at}/handlers/A-17?wait=20000" # refunded A-17`,
    ...end,
  ];
  const files = { ...filesBelow(), "package.json": JSON.stringify(project) };
  return [rowOf({ name: "a container, replaced", files, commands }, 24)];
}

/** The exec form of an instruction, for a shell. */
function commandOf(dockerfile, instruction) {
  const [, words] = instruction.exec(dockerfile);
  return JSON.parse(words)
    .map((word) => `'${word}'`)
    .join(" ");
}

function filesBelow() {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /^[^.].*\.ts$/.test(name));
  const wanted = names.filter((name) => !name.includes(".test.") && !name.includes("node_modules"));
  return Object.fromEntries(wanted.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
