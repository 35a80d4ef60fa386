/** Packages that a user runs rather than builds, from the packed tarballs, installed by npm in an empty folder. */
import { nodeFolder } from "./node-versions.mjs";
import { filesOf, rowOf } from "./setup.mjs";

const packages = [
  "millrace",
  ...["cli", "client", "server", "sqlite", "studio", "otel", "pipeline", "print"].map((name) => `@millrace/${name}`),
];

/** A comment says what the command prints. */
const tries = (major) => [
  `PATH="${nodeFolder(major)}:$PATH"`,
  `node --print process.version # v${major}`,
  'npx millrace run greeting.ts --input \'{"name":"Ada"}\' --json # "result":"Hello, Ada!"',
  `node studio.mjs # ${major}: the studio and its scripts`,
  `node trace.mjs # ${major}: start greeting, step greet, run greeting`,
  `node print.mjs # ${major}: Hello, Ada!`,
  `node agui.mjs # ${major}: Politely? Good day, Ada!`,
];

/** One install for both: none of the packages has native code. */
export function packedRows() {
  const files = filesOf("packed");
  const installed = `npm install --no-audit --no-fund zod @ag-ui/client@1 @ag-ui/core@1 @ag-ui/encoder@1 @opentelemetry/api@1 @opentelemetry/sdk-trace@3 ${packages.join(" ")}`;
  const commands = [installed, ...tries(22), ...tries(24)];
  return [rowOf({ name: "command, studio, AG-UI, telemetry and printing, also on Node 24", files, commands }, 22)];
}
