import { memoryStore } from "millrace/runtime";
import { durableCallsSuite } from "../src/calls/index.js";

durableCallsSuite("memoryStore", async () => memoryStore());
