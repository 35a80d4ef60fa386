/**
 * The stream of a run as artifacts.
 *
 * While the run works, the artifact `result` is a draft: the words that its agents and calls write. At its end, the result
 * itself takes its place, unless it says the same. Equal events make equal artifacts for every reader at any time.
 *
 * @module
 */
import type { Artifact, Part } from "@a2a-js/sdk";
import { type Piece, PieceReader, PiecesEvent, StepRestartedEvent, type StreamedEvent } from "millrace";
import { dataPart, textPart } from "../wire/parts.js";

/** An artifact that an event of a workflow shows. */
export interface ShownArtifact {
  /** Its id and its name. */
  readonly name: string;
  readonly text?: string;
  /** Anything that JSON can hold. */
  readonly data?: unknown;
  /** `true`: continues the artifact with this name. @default false: replaces it */
  readonly append?: boolean;
}

/** What an event of a workflow shows: text that continues the draft of the result, or an artifact; nothing: `undefined`. */
export type MapEvent = (streamed: StreamedEvent) => string | ShownArtifact | undefined;

export interface ArtifactChange {
  readonly artifact: Artifact;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** A part, and who has written it: parts of calls that begin again are taken back. */
interface Written {
  readonly writer: string;
  readonly call: string;
  readonly part: Part;
}

const resultId = "result";
/** Calls of members, which work for a leader: what they say is not the answer. */
const ofMember = /\/@m\d+\.c\d+\/@/;

export class Artifacts {
  readonly #reader: PieceReader = new PieceReader();
  readonly #written: Map<string, Written[]> = new Map();
  readonly #map: MapEvent | undefined;

  constructor(map: MapEvent | undefined) {
    this.#map = map;
  }

  take(streamed: StreamedEvent): ArtifactChange[] {
    const { event, writer = "", call = "" } = streamed;
    if (PiecesEvent.is(event)) return this.#takePieces(event, writer);
    if (StepRestartedEvent.is(event)) {
      const { kept = [] } = event;
      return this.#retract((one) => one.writer === writer && !kept.includes(one.call));
    }
    const shown = this.#map?.(streamed);
    if (shown === undefined) return [];
    if (typeof shown === "string") return [this.#add(resultId, { writer, call, part: textPart(shown) })];
    return this.#show(shown, { writer, call });
  }

  /** The result of the run takes the place of its draft. Nothing changes when it says the same. */
  finish(result: readonly Part[]): ArtifactChange[] {
    if (result.length === 0 || saysTheSame(result, this.#parts(resultId))) return [];
    this.#written.set(
      resultId,
      result.map((part) => ({ writer: "", call: "", part })),
    );
    return [{ ...this.#whole(resultId), lastChunk: true }];
  }

  /** All of them, as they are now. */
  list(): Artifact[] {
    return [...this.#written.keys()].map((id) => this.#whole(id).artifact);
  }

  #takePieces(event: PiecesEvent, writer: string): ArtifactChange[] {
    const news = ofMember.test(event.call) ? null : this.#reader.take(event, writer);
    if (news === null) return [];
    const { call, at, pieces } = news;
    const taken = at === 0 ? this.#retract((one) => one.writer === writer && one.call === call) : [];
    const text = pieces.map(wordsOf).join("");
    return text === "" ? taken : [...taken, this.#add(resultId, { writer, call, part: textPart(text) })];
  }

  #show({ name, text, data, append = false }: ShownArtifact, by: Pick<Written, "writer" | "call">): ArtifactChange[] {
    if (!append) this.#written.delete(name);
    return [
      ...(text === undefined ? [] : [this.#add(name, { ...by, part: textPart(text) })]),
      ...(data === undefined ? [] : [this.#add(name, { ...by, part: dataPart(data) })]),
    ];
  }

  #add(id: string, written: Written): ArtifactChange {
    const before = this.#written.get(id) ?? [];
    this.#written.set(id, [...before, written]);
    return { artifact: artifactOf(id, [written.part]), append: before.length > 0, lastChunk: false };
  }

  #retract(isGone: (written: Written) => boolean): ArtifactChange[] {
    return [...this.#written].flatMap(([id, written]) => {
      const left = written.filter((one) => !isGone(one));
      if (left.length === written.length) return [];
      this.#written.set(id, left);
      return [this.#whole(id)];
    });
  }

  #parts(id: string): Part[] {
    return (this.#written.get(id) ?? []).map(({ part }) => part);
  }

  #whole(id: string): ArtifactChange {
    const parts = joined(this.#parts(id));
    // An artifact has at least one part.
    return { artifact: artifactOf(id, parts.length > 0 ? parts : [textPart("")]), append: false, lastChunk: false };
  }
}

export function artifactOf(id: string, parts: Part[]): Artifact {
  return { artifactId: id, name: id, description: "", parts, metadata: undefined, extensions: [] };
}

export const resultArtifact = (parts: Part[]): Artifact => artifactOf(resultId, parts);

/** Texts that follow each other as one part. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const [last, { content }] = [all.at(-1), part];
    if (last?.content?.$case === "text" && content?.$case === "text")
      all[all.length - 1] = textPart(last.content.value + content.value);
    else all.push(part);
  }
  return all;
}

function saysTheSame(result: readonly Part[], draft: readonly Part[]): boolean {
  return JSON.stringify(result.map(contentOf)) === JSON.stringify(joined(draft).map(contentOf));
}

const contentOf = ({ content }: Part): unknown => content;

/** Reasoning and calls of tools are no words of the answer. */
function wordsOf(piece: Piece): string {
  if (typeof piece === "string") return piece;
  const { type, text } = piece;
  return type === "text" && typeof text === "string" ? text : "";
}
