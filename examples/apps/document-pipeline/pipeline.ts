/** Documents through a pipeline: text and pictures are read at the same time, a person corrects the summary, and it is filed. */
import { file, Parallel, Pipeline, type PipelineOptions, Step } from "@millrace/pipeline";

/** What reads documents: your OCR, your model, your archive. */
export interface Tools {
  textOf(document: Uint8Array): Promise<string>;
  picturesIn(document: Uint8Array): Promise<readonly string[]>;
  /** Returns where the text is filed. Called with one key at least once. */
  archive(text: string, idempotencyKey: string): Promise<string>;
}

export function documents(tools: Tools, options: Partial<PipelineOptions> = {}): Pipeline {
  return new Pipeline({
    name: "Documents",
    steps: [
      new Parallel({
        name: "read",
        steps: [
          new Step({ name: "text", executor: ({ files }) => tools.textOf(bytesOf(files)), maxRetries: 2 }),
          new Step({
            name: "pictures",
            executor: async ({ files }) => (await tools.picturesIn(bytesOf(files))).join(", "),
            maxRetries: 2,
          }),
        ],
      }),
      new Step({
        name: "summary",
        executor: (input) => `${input.getStepContent("text")}\n\nPictures: ${input.getStepContent("pictures")}`,
        humanReview: { requiresOutputReview: true }, // a person confirms, edits or rejects it
      }),
      new Step({
        name: "file",
        executor: ({ previousStepContent }, { idempotencyKey }) =>
          tools.archive(String(previousStepContent), idempotencyKey),
      }),
    ],
    ...options,
  });
}

/** A document that travels with the run, and is stored with it. For large ones, pass a `url` or a `filepath` instead. */
export function pdf(name: string, content: Uint8Array) {
  return file({ name, content, mimeType: "application/pdf" });
}

function bytesOf([first]: readonly { readonly content?: string }[]): Uint8Array {
  return Buffer.from(first?.content ?? "", "base64");
}
