import { durableCallsSuite } from "@millrace/conformance/calls";
import { openStore, temporaryFile } from "./files.js";

durableCallsSuite("sqliteStore", async () => openStore(temporaryFile()));
