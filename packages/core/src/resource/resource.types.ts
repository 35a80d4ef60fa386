/**
 * Resources: what steps need but events cannot carry, such as a database or a model client.
 *
 * @module
 */

/** The property does not exist at runtime. @internal */
export declare const resourceValue: unique symbol;

/** Result of `resource()`. Identified by the object, not by its name. */
export interface Resource<out Value = unknown> {
  readonly name: string;
  readonly [resourceValue]: Value;
  /** Replaces the value in one run: `run(input, { resources: [database.override(fake)] })`. */
  override(value: Value): ResourceOverride;
}

/** Replaces a resource of any scope in one run. The engine does not dispose the value. */
export interface ResourceOverride {
  readonly resource: Resource;
  readonly value: unknown;
}

/** Resources by the names under which a step or a factory gets them. */
export interface ResourceMap {
  readonly [name: string]: Resource;
}

/** Resources of a step, its third argument. */
// `& {}` makes hovers and errors show the members instead of `Resolved<{ … }>`.
export type Resolved<Needs> = { readonly [Name in keyof Needs]: ValueOf<Needs[Name]> } & {};
export type ValueOf<Item> = Item extends Resource<infer Value> ? Value : never;

/**
 * Lifetime of a resource: until the end of the attempt (`call`), of the run or its release (`run`), of the workflow
 * instance (`workflow`, by `workflow[Symbol.asyncDispose]()`), or of the app (`app`, by `runtime.stop()`).
 */
export type ResourceScope = "app" | "workflow" | "run" | "call";

/** Options of `resource()`. */
export interface ResourceOptions<Value, Needs extends ResourceMap> {
  /** Lifetime of the resource. @default "workflow" */
  readonly scope?: ResourceScope;
  /** Other resources that the factory gets, of the same scope or a longer one. A cycle is an error that names it. */
  readonly resources?: Needs;
  /** Disposes the value. @default `Symbol.asyncDispose` or `Symbol.dispose` of the value, if it has one */
  readonly dispose?: (value: Value) => void | Promise<void>;
}

/** @internal */
export type Needed = readonly (readonly [name: string, resource: ResourceDefinition])[];

/** The inner form of a {@link Resource}. @internal */
export interface ResourceDefinition {
  readonly name: string;
  readonly scope: ResourceScope;
  readonly dispose: ((value: unknown) => unknown) | undefined;
  readonly factory: (resources: unknown) => unknown;
  /** Read late, because a getter may name resources that are defined below. */
  readonly needs: Needed;
  override(value: unknown): ResourceOverride;
}
