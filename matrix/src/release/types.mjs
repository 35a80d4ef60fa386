/** The types of every package compile with no newer `lib` than ES2022, and with every declaration checked. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { packages, published } from "./packages.mjs";

const entries = packages.flatMap(({ name, manifest }) => published(name, manifest));
const lines = entries.map((entry, index) => `import type * as e${index} from "${entry}";\nexport type { e${index} };`);
writeFileSync("consumer.ts", lines.join("\n"));
const compilerOptions = {
  ...{ target: "es2022", lib: ["es2022"], types: ["node"], module: "nodenext" },
  ...{ strict: true, skipLibCheck: false, noEmit: true },
};
writeFileSync("tsconfig.json", JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));

const { stdout, status } = spawnSync("npx", ["tsc", "--pretty", "false"], { encoding: "utf8" });
const optional = packages.flatMap(({ manifest }) => Object.keys(manifest.peerDependenciesMeta ?? {}));
const isLeftOut = (line) => optional.some((peer) => line.includes(`Cannot find module '${peer}`));
// What others publish is theirs: with `skipLibCheck` nobody sees it.
const isOurs = (line) => /^(consumer|node_modules\/(@millrace\/|millrace\/))/.test(line);
const problems = stdout.split("\n").filter((line) => isOurs(line) && !isLeftOut(line));
if (status === null || problems.length > 0) throw new Error(`error: ${problems.join("\n")}`);
console.log(`types of ${entries.length} entries`);
