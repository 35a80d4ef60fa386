/** Parts of messages and artifacts. */
import type { Part } from "@a2a-js/sdk";

export function textPart(text: string): Part {
  return { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "text/plain" };
}

export function dataPart(value: unknown): Part {
  return { content: { $case: "data", value }, metadata: undefined, filename: "", mediaType: "application/json" };
}

/** The texts of the parts, without a separator: a part may continue the one before. */
export function textOf(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
}

/** The values of the data parts. */
export function dataOf(parts: readonly Part[]): readonly unknown[] {
  return parts.flatMap(({ content }) => (content?.$case === "data" ? [content.value] : []));
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
