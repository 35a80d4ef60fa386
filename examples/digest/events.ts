/**
 * What happens in a digest, from the files to the choice of topics.
 *
 * @module
 */
import { event, HumanResponseEvent, InputRequiredEvent, StartEvent } from "millrace";
import * as z from "zod";

const Term = z.object({ word: z.string(), count: z.number() });
const SectionDigest = z.object({
  file: z.string(),
  title: z.string(),
  sentences: z.array(z.string()),
  terms: z.array(Term),
});
export interface SectionDigest extends z.output<typeof SectionDigest> {}

const Topic = z.object({ name: z.string(), sections: z.array(SectionDigest) });
export interface Topic extends z.output<typeof Topic> {}

const Skipped = z.object({ file: z.string(), reason: z.string() });
export interface Skipped extends z.output<typeof Skipped> {}

export class DigestInput extends StartEvent.define("DigestInput", { files: z.array(z.string()) }) {}

export class FileFound extends event("FileFound", { file: z.string() }) {}
export class FileSkipped extends event("FileSkipped", Skipped) {}
export class Section extends event("Section", { file: z.string(), title: z.string(), text: z.string() }) {}
export class SectionDigested extends event("SectionDigested", SectionDigest) {}
export class FileDigested extends event("FileDigested", { sections: z.array(SectionDigest) }) {}

/** The question, for a person. */
export class ChooseTopics extends InputRequiredEvent.define("ChooseTopics", {
  topics: z.array(z.object({ name: z.string(), sections: z.number(), files: z.number() })),
}) {}
/** The answer: positions in the question's list, from 1. */
export class TopicsChosen extends HumanResponseEvent.define("TopicsChosen", {
  keep: z.array(z.number().int().positive()).min(1),
}) {}
export class DigestReady extends event("DigestReady", { topics: z.array(Topic), skipped: z.array(Skipped) }) {}

/** How far the run is; only shown, and kept as its state. */
export const Counts = z.object({
  files: z.number().default(0),
  filesDone: z.number().default(0),
  filesSkipped: z.number().default(0),
  sections: z.number().default(0),
  sectionsDone: z.number().default(0),
});
export interface Counts extends z.output<typeof Counts> {}
export class Progress extends event("Progress", Counts) {}
