/** Waits over a store in memory. */
import { memoryStore } from "millrace/runtime";
import { waitElsewhere } from "../../src/staying/wait-elsewhere.js";

const store = memoryStore();
await waitElsewhere(process.argv[2] as string, () => store);
