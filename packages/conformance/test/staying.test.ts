import { join } from "node:path";
import { ScriptProcess } from "../src/processes/index.js";
import { stayingSuite } from "../src/staying/index.js";

stayingSuite("memoryStore", (name) => new ScriptProcess(join(import.meta.dirname, "child", "waiter.ts"), [name]));
