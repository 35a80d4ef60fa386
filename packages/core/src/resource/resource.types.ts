/**
 * Resources: what steps need but events cannot carry (a database, a model client).
 *
 * @module
 */

/** No such property at runtime. @internal */
export declare const resourceValue: unique symbol;

/** Made by `resource()`; identity is this object, not its name. */
export interface Resource<out Value = unknown> {
  readonly name: string;
  readonly [resourceValue]: Value;
  /** Stands in for the real one: `run(input, { resources: [database.override(fake)] })`. */
  override(value: Value): ResourceOverride;
}

/** Wins in every scope, for one run. Its value is yours: nothing disposes it. */
export interface ResourceOverride {
  readonly resource: Resource;
  readonly value: unknown;
}

/** Resources by the name the step (or the factory) uses for them. */
export interface ResourceMap {
  readonly [name: string]: Resource;
}

/** What a step gets as its third argument. */
// `& {}` makes hovers and errors show the members instead of `Resolved<{ … }>`.
export type Resolved<Needs> = { readonly [Name in keyof Needs]: ValueOf<Needs[Name]> } & {};
export type ValueOf<Item> = Item extends Resource<infer Value> ? Value : never;

/**
 * How long a resource lives: to the end of the attempt, of the run (or its release), of the workflow instance
 * (`workflow[Symbol.asyncDispose]()`), or of the app (`runtime.stop()`).
 */
export type ResourceScope = "app" | "workflow" | "run" | "call";

export interface ResourceOptions<Value, Needs extends ResourceMap> {
  /** @default "workflow" */
  readonly scope?: ResourceScope;
  /** Other resources the factory is given, of the same scope or a longer one. A cycle is an error that names it. */
  readonly resources?: Needs;
  /** @default the value's `Symbol.asyncDispose` or `Symbol.dispose`, where it has one */
  readonly dispose?: (value: Value) => void | Promise<void>;
}

/** @internal */
export type Needed = readonly (readonly [name: string, resource: ResourceDefinition])[];

/** What a {@link Resource} is inside. @internal */
export interface ResourceDefinition {
  readonly name: string;
  readonly scope: ResourceScope;
  readonly dispose: ((value: unknown) => unknown) | undefined;
  readonly factory: (resources: unknown) => unknown;
  /** Read late: a getter may name what is defined further down. */
  readonly needs: Needed;
  override(value: unknown): ResourceOverride;
}
