import { createServer } from "@millrace/server";
import { createRuntime } from "millrace/runtime";
import { nap } from "./nap.mjs";

const app = createServer({ runtime: createRuntime({ workflows: { nap } }) });
console.log(`without the SDK: ${(await app.request("/health")).status}`);
