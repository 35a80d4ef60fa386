/** Every package as it would be published, in one empty project: `npm run release -- --dry-run` runs this row alone. */
import { published } from "../scripts/setup/pack.mjs";
import { nodeFolder } from "./node-versions.mjs";
import { filesOf, rowOf } from "./setup.mjs";

/** What the packages leave to their users, and what tries them. */
const others = [
  ...["zod@4", "ai@7", "react@19", "better-sqlite3@13", "@restatedev/restate-sdk@1", "@opentelemetry/api@1"],
  ...["typescript@7", "@types/node@22", "@types/react@19", "tsx@4", "@hono/node-server@2"],
];

export function releaseRows() {
  const files = filesOf("release");
  const names = published().map(({ name }) => name);
  const commands = [
    `npm install --no-audit --no-fund ${[...names, ...others].join(" ")}`,
    `node readmes.mjs # ${names.length} READMEs, `,
    "node types.mjs # types of",
    "node entries.mjs # 24:",
    `"${nodeFolder(22.13)}/node" --disable-warning=ExperimentalWarning entries.mjs # 22:`,
  ];
  return [rowOf({ name: "release, every package", files, commands }, 24)];
}
