/** The contract of stores over encrypted texts. */
import { encryptedStore } from "millrace/runtime";
import { conformance } from "./support/conformance.js";

const keys = [{ id: "test", key: new Uint8Array(32).fill(7) }];

conformance("encrypted texts", {}, (store) => encryptedStore(store, { keys }));
