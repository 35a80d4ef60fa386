import { memoryStore } from "millrace/runtime";
import { runStoreSuite } from "../src/index.js";

runStoreSuite("memoryStore", async () => {
  const store = memoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
});
