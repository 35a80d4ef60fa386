import { takenPostsSuite } from "@millrace/conformance/posts";
import { openStore, temporaryFile } from "./files.js";

takenPostsSuite("sqliteStore", async () => openStore(temporaryFile()));
