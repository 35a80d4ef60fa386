import { memoryStore } from "millrace/runtime";
import { journalsSuite, runStoreSuite } from "../src/index.js";

const open = async () => {
  const store = memoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
};

runStoreSuite("memoryStore", open);
journalsSuite("memoryStore", open);
