import { stayingSuite } from "@millrace/conformance/staying";
import { Child } from "./child/process.js";
import { temporaryFile } from "./files.js";

stayingSuite("sqliteStore", (name) => new Child("waiter.ts", [name, temporaryFile()]));
