import { conformance } from "./support/conformance.js";

conformance("prepared statements", {});
