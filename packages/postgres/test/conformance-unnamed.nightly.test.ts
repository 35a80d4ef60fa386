import { conformance } from "./support/conformance.js";

conformance("unnamed statements, no listening", { prepare: false, listen: false });
