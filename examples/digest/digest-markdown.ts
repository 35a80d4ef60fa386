/**
 * The digest as Markdown.
 *
 * @module
 */
import type { SectionDigest, Skipped, Topic } from "./events.js";
import { plural } from "./plural.js";

/** The first line of every digest; a file without it is somebody else's, and is not overwritten. */
export const digestMark = "<!-- made by the digest example of Millrace -->";

export function digestMarkdown(topics: readonly Topic[], skipped: readonly Skipped[]): string {
  const sections = topics.flatMap((topic) => topic.sections);
  const parts = [
    digestMark,
    "# Digest",
    `${plural(sections.length, "section")} of ${plural(countFiles(sections), "file")} in ${plural(topics.length, "topic")}: ${topics.map(({ name }) => name).join(", ")}.`,
    ...topics.flatMap(topicLines),
    ...skippedLines(skipped),
  ];
  return `${parts.join("\n\n")}\n`;
}

export function countFiles(sections: readonly SectionDigest[]): number {
  return new Set(sections.map(({ file }) => file)).size;
}

function topicLines(topic: Topic): string[] {
  const byFile = Map.groupBy(topic.sections, ({ file }) => file);
  const files = [...byFile].flatMap(([file, sections]) => [`### ${file}`, sections.map(sectionLine).join("\n")]);
  return [`## ${topic.name}`, ...files];
}

function sectionLine({ title, sentences }: SectionDigest): string {
  return `- **${title}** ${sentences.join(" ")}`;
}

function skippedLines(skipped: readonly Skipped[]): string[] {
  if (skipped.length === 0) return [];
  return ["## Not read", skipped.map(({ file, reason }) => `- ${file}: ${reason}`).join("\n")];
}
