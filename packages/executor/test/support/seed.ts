/**
 * The seed of all property tests: the same in every run, so that a change is judged by what it changes.
 * A search for new counterexamples: `FAST_CHECK_SEED=random pnpm test`, or with the number that a failure printed.
 */
import { fc } from "@fast-check/vitest";

const wanted = process.env["FAST_CHECK_SEED"] ?? "20261121";
if (wanted !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
