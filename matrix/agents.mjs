/** Agents on the versions of the AI SDK, each installed by npm in an empty folder. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const packages = "millrace @millrace/agents zod";

export function agentRows() {
  const agent = readFileSync(join(matrix, "src", "agents", "agent.mjs"), "utf8");
  const files = { "agent.mjs": agent, "package.json": JSON.stringify({ private: true, type: "module" }) };
  const on = (version, flags = "") => {
    const install = `npm install --no-audit --no-fund ${flags} ai@${version} ${packages}`;
    const commands = [
      install,
      'echo "installed: $(ls node_modules/@millrace | xargs)." # installed: agents executor.',
      "node agent.mjs # v4: agent all done, loop all done v3: agent all done, loop all done",
    ];
    return rowOf({ name: `agents, AI SDK ${`${version} ${flags}`.trim()}`, files, commands }, 24);
  };
  return [
    on(7),
    { ...on(6), fails: /ERESOLVE/ },
    { ...on(6, "--legacy-peer-deps"), fails: /'ai' does not provide an export named 'isStepCount'/ },
  ];
}
