/** A pipeline as a step of another one. Structural: the class itself builds on the nodes. */
export interface PipelineLike {
  readonly isPipeline: true;
  readonly name: string;
}
