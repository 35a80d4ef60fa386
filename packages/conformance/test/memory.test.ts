import { encryptedStore, memoryStore } from "millrace/runtime";
import { journalsSuite, runStoreSuite } from "../src/index.js";

const open = async () => {
  const store = memoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
};

runStoreSuite("memoryStore", open);
journalsSuite("memoryStore", open);

const openEncrypted = async () => {
  const store = encryptedStore(memoryStore(), { keys: [{ id: "test", key: new Uint8Array(32).fill(7) }] });
  return { store, reopen: async () => store, dispose: () => store.close() };
};

runStoreSuite("encryptedStore", openEncrypted);
journalsSuite("encryptedStore", openEncrypted);
