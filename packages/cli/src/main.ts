#!/usr/bin/env node
import * as nodeModule from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`millrace needs Node 22.13 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}
nodeModule.enableCompileCache(); // before the first module that is worth it
const { main } = await import("./start.js");
const exitCode = await main();
// A step that was left may still be at work: it starts over in another process. What was written goes out first.
process.stdout.write("", () => process.exit(exitCode));
