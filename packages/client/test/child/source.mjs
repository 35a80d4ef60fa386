import "../../../conformance/src/processes/source.mjs";
